//! Parameters: what methods and blocks bind of their arguments.
//!
//! They are locals, all of them, also those without a name. What is given is bound first, then defaults are evaluated,
//! and last arrays are taken apart, as MRI does; a bare `super` passes the values that the locals have then. An array
//! of unknown length that is splatted stands behind the other arguments (`splats.rs`): how many there are is checked at
//! run time, and parameters, defaults and targets take its items by index.
//!
//! What `**` collects is a record of class Hash, whose type knows the names; it can be passed on and nothing else.
//! Where the code does anything else with it, a second local holds a Hash of it (`Params::keyword_hash`, in
//! `syntax/lower/params.rs`).

use super::births::Birth;
use super::calls::{Arguments, CallType};
use super::keyword_splats::{HASH_SPLAT, has_hash_splat};
use super::operand::Operand;
use super::sites::class_of;
use super::splats::{Absent, LeftOut};
use super::{Condition, Lowerer};
use crate::ir::{Comparison, ErrorKind, SiteId};
use crate::syntax::ast::{BARE_HASH, Params};
use crate::types::{ClassId, RecordType, Type};
use std::rc::Rc;

impl Lowerer<'_> {
    /// What `to_ary` gives for objects that have it: Ruby asks for it before it takes a value apart.
    pub(crate) fn through_to_ary(&mut self, value: &Operand) -> Operand {
        self.as_array(value, "to_ary")
    }

    /// What `to_ary` or `to_a` gives for objects that have it. Where that is nil, they are no arrays.
    pub(super) fn as_array(&mut self, value: &Operand, method: &str) -> Operand {
        if !value.types.iter().any(|ty| self.type_responds(ty, method)) {
            return value.clone();
        }
        self.switch(value, 60, &mut |s, value| {
            if !s.responds(&value, method) {
                return value;
            }
            let found = s.send_from(&value, method, &[], 61, CallType::Own);
            s.switch(&found, 62, &mut |s, found| match found.types.single() {
                Some(Type::Array(_) | Type::Tuple(_) | Type::List(_)) => found,
                Some(Type::Nil) => value.clone(),
                _ => s.fail_given(&value, ("Array", method), &found),
            })
        })
    }

    /// What `to_hash` gives for objects that have it, as MRI's `rb_convert_type` asks; a TypeError for what is no Hash. `nil`
    /// is one, or stays.
    pub(crate) fn through_to_hash(&mut self, value: &Operand, nil_stays: bool) -> Operand {
        let stays = |ty: &Type| ty.is_hash() || nil_stays && *ty == Type::Nil;
        if value.types.iter().all(stays) {
            return value.clone();
        }
        self.switch(value, 63, &mut |s, value| match value.types.single() {
            Some(ty) if stays(ty) => value,
            _ if !s.responds(&value, "to_hash") => {
                s.fail_conversion("no implicit conversion of ", &value, " into Hash")
            }
            _ => {
                let found = s.send_from(&value, "to_hash", &[], 64, CallType::Own);
                s.switch(&found, 65, &mut |s, found| match found.types.single() {
                    Some(ty) if ty.is_hash() => found,
                    _ => s.fail_given(&value, ("Hash", "to_hash"), &found),
                })
            }
        })
    }

    /// A TypeError about what a conversion gives.
    fn fail_given(&mut self, value: &Operand, (to, method): (&str, &str), found: &Operand) -> Operand {
        let class = value.types.iter().next().map_or_else(String::new, |ty| self.coercion_name(ty));
        let before = format!("can't convert {class} to {to} ({class}#{method} gives ");
        self.each_of_bool(found, &mut |s, found| {
            let given = found.types.iter().next().map_or(ClassId::OBJECT, class_of);
            let message = format!("{before}{})", s.host.class_name(given));
            s.fail(ErrorKind::TypeError(message), &[])
        })
    }

    /// Binds the arguments of a block as Ruby's procs do: one array is destructured over several parameters, missing
    /// arguments are nil, surplus ones are dropped.
    pub(crate) fn bind_block(&mut self, params: &Params, mut arguments: Arguments) {
        let required = params.required.len() + params.post.len();
        let most = required + params.optional.len();
        if !arguments.keywords.is_empty() && !params.take_keywords() {
            if params.no_keywords {
                self.fail_binding("no keywords accepted".into());
                return;
            }
            // Ruby makes a Hash of them, which is an argument more.
            if arguments.splat.is_some() {
                self.refuse_collected_keywords();
                return;
            }
            if self.may_pass_nothing(&arguments.keywords) {
                return;
            }
            let keywords = std::mem::take(&mut arguments.keywords);
            let is_taken = arguments.positional.len() < most || params.rest.is_some();
            let hash = if is_taken { self.hash_of_keywords(&keywords) } else { Operand::nil() };
            arguments.positional.push(hash);
        }
        let plain = params.is_plain() || !arguments.keyword_splat;
        let takes_apart = arguments.keywords.is_empty() && plain && self.takes_apart(params);
        match &arguments.splat {
            None if arguments.positional.len() == 1 && takes_apart => {
                let arg = arguments.positional.remove(0);
                self.take_apart(params, &arg, &mut arguments);
                if arguments.has_bottom() {
                    return;
                }
            }
            // If it is the only one, and an array, it is taken apart.
            Some(array) if arguments.positional.len() < 2 && takes_apart => {
                let array = array.clone();
                if self.holds_arrays(&arguments.positional, &array) {
                    if params.rest.is_some() || !params.optional.is_empty() {
                        self.refuse_splat();
                        return;
                    }
                    arguments.positional = self.of_one_or_several(&arguments, &array, required);
                    arguments.splat = None;
                    if arguments.has_bottom() {
                        return;
                    }
                }
            }
            _ => {}
        }
        if arguments.splat.is_some() {
            self.bind(params, arguments, false);
            return;
        }
        arguments.positional.resize_with(arguments.positional.len().max(required), Operand::nil);
        if params.rest.is_none() {
            arguments.positional.truncate(most);
        }
        self.bind(params, arguments, false);
    }

    /// So many arguments of a block that takes a single array apart, where it turns out as the section runs whether there
    /// is but one.
    fn of_one_or_several(&mut self, arguments: &Arguments, array: &Operand, count: usize) -> Vec<Operand> {
        let (given, one, zero) = (self.given(arguments), self.b.i64(1), self.b.i64(0));
        let is_one = self.b.compare(Comparison::Eq, given, one);
        let first = match arguments.positional.first() {
            Some(first) => first.clone(),
            None => self.within_slot(0x4d0, |s| s.item_of(array, zero, false)),
        };
        let all = self.within_slot(0x4d1, |s| s.arguments_or_nil(arguments, count));
        if first.is_bottom() || all.iter().any(Operand::is_bottom) {
            return vec![Operand::bottom()];
        }
        let is_alone = || Condition { value: is_one, yes: vec![], no: vec![] };
        let apart = self.branch(0x4d2, is_alone(), |s| s.through_to_ary(&first), |_| first.clone());
        if apart.is_bottom() {
            return vec![apart];
        }
        let of_both = (0..).zip(all).map(|(i, own)| {
            self.within_slot(0x4d3 + i, |s| {
                s.branch(0, is_alone(), |s| s.destructured(&apart, i as usize), |_| own.clone())
            })
        });
        of_both.collect()
    }

    /// Does a block with these parameters take a single array apart?
    fn takes_apart(&self, params: &Params) -> bool {
        let required = params.required.len() + params.post.len();
        if required == 1 && params.optional.is_empty() && params.rest.is_none() {
            let with_keywords = self.host.dialect().keywords_take_apart;
            return params.trailing_comma || params.take_keywords() && with_keywords;
        }
        required > 0 || params.optional.len() > 1
    }

    /// The arguments that a block gets of a single one: its items, if it is an array.
    fn take_apart(&mut self, params: &Params, arg: &Operand, arguments: &mut Arguments) {
        let arg = self.through_to_ary(arg);
        let is_array = |t: &Type| matches!(t, Type::Array(_) | Type::Tuple(_) | Type::List(_));
        if let Some(Type::Tuple(_)) = arg.types.single() {
            arguments.positional = self.tuple_items(&arg);
        } else if !arg.types.iter().any(is_array) {
            arguments.positional = vec![arg];
        } else if params.rest.is_some() || !params.optional.is_empty() {
            arguments.splat = Some(self.array_to_spread(&arg));
        } else {
            let count = params.required.len() + params.post.len();
            arguments.positional = (0..count).map(|i| self.destructured(&arg, i)).collect();
        }
    }

    /// Binds the arguments of a method. A wrong number of them is an ArgumentError where the method stands.
    pub(crate) fn bind_method(&mut self, params: &Params, mut arguments: Arguments) {
        if !arguments.keywords.is_empty() && !params.take_keywords() {
            if params.no_keywords {
                self.fail_binding("no keywords accepted".into());
                return;
            }
            // They are a Hash.
            match self.with_keyword_hash(&arguments) {
                Some(with_hash) => arguments = with_hash,
                None => return,
            }
        }
        let required = params.required.len() + params.post.len();
        let most = required + params.optional.len();
        let given = arguments.positional.len();
        let fits = given >= required && (given <= most || params.rest.is_some());
        if arguments.splat.is_some() || !fits {
            let expected = match (params.rest.is_some(), params.optional.is_empty()) {
                (true, _) => format!("{required}+"),
                (_, true) => required.to_string(),
                _ => format!("{required}..{most}"),
            };
            let needed: Vec<&str> =
                params.keywords.iter().filter(|k| k.2.is_none()).map(|(name, ..)| name.as_str()).collect();
            let keywords = match needed.len() {
                0 => String::new(),
                1 => format!("; required keyword: {}", needed[0]),
                _ => format!("; required keywords: {}", needed.join(", ")),
            };
            let expected = format!("{expected}{keywords}");
            if arguments.splat.is_some() {
                let most = params.rest.is_none().then_some(most);
                self.check_given(&arguments, required, most, &expected);
            } else {
                self.fail_binding(format!("wrong number of arguments (given {given}, expected {expected})"));
            }
            if self.b.is_dead() {
                return;
            }
        }
        self.bind(params, arguments, true);
    }

    /// Keywords for what takes none are a Hash.
    pub(crate) fn refuse_collected_keywords(&mut self) -> Operand {
        self.refuse_here(
            "unsupported-hash",
            "keywords for a method or block that takes none are a Hash, which cannot be used in a parallel section",
            Some("give it positional arguments, or have it take keywords".into()),
        )
    }

    /// Arguments that do not fit. Ruby blames the definition, and names the caller behind it.
    fn fail_binding(&mut self, message: String) {
        let site = self.binding_site(ErrorKind::ArgumentError(message));
        if !self.b.is_dead() {
            self.fail_at(site, &[]);
        }
    }

    pub(super) fn binding_site(&mut self, error: ErrorKind) -> SiteId {
        if self.runs_method() && !self.frame().builtin {
            self.span = self.frame().code.span;
        }
        let mut site = self.site_here(error);
        // Versions that tell methods by their class did not do so here at first.
        if !self.host.dialect().arity_errors_tell_classes
            && let Some(label) = self.label_without_class()
            && let Some(place) = site.places.first_mut()
        {
            place.label = label;
        }
        self.numbered_site(site)
    }

    /// What is given is bound first, then what is left to defaults; last, arrays are taken apart.
    fn bind(&mut self, params: &Params, arguments: Arguments, strict: bool) {
        let Arguments { positional, splat, mut keywords, .. } = arguments;
        if keywords.iter().any(|(name, _)| name == BARE_HASH) {
            self.refuse_here(
                "unsupported-hash",
                "keywords whose names are no Symbols, for a method that takes keywords, cannot be used in a section",
                Some("write braces around them, which makes a Hash: f({ 1 => 2 })".into()),
            );
            return;
        }
        // All of this is found before a default is evaluated.
        let is_spread = has_hash_splat(&keywords);
        let is_given = |name: &String| keywords.iter().any(|(given, _)| given == name);
        let missing: Vec<&String> = params
            .keywords
            .iter()
            .filter(|(name, _, default)| default.is_none() && !is_given(name) && !is_spread)
            .map(|(name, ..)| name)
            .collect();
        let is_known = |name: &String| {
            name == HASH_SPLAT
                || params.keyword_rest.is_some()
                || params.keywords.iter().any(|(known, ..)| known == name)
        };
        let unknown: Vec<&String> = keywords.iter().map(|(name, _)| name).filter(|n| !is_known(n)).collect();
        for (what, names) in [("missing", missing), ("unknown", unknown)] {
            if !names.is_empty() {
                let plural = if names.len() > 1 { "s" } else { "" };
                let names: Vec<String> = names.iter().map(|name| format!(":{name}")).collect();
                self.fail_binding(format!("{what} keyword{plural}: {}", names.join(", ")));
                return;
            }
        }
        let mut left_out = match splat {
            Some(array) => self.bind_spread(params, positional, &array, strict),
            None => self.bind_positional(params, positional),
        };
        if is_spread {
            self.bind_spread_keywords(params, std::mem::take(&mut keywords), &mut left_out);
            if self.b.is_dead() {
                return;
            }
        }
        for (name, id, default) in params.keywords.iter().filter(|_| !is_spread) {
            match (keywords.iter().position(|(given, _)| given == name), default) {
                (Some(at), _) => {
                    let (_, value) = keywords.remove(at);
                    self.write_local(*id, value);
                }
                (None, Some(default)) => left_out.push((*id, default, None)),
                (None, None) => {}
            }
        }
        if let Some(id) = params.keyword_rest.filter(|_| !is_spread) {
            if let Some(hash) = params.keyword_hash {
                let made = self.hash_of_keywords(&keywords);
                self.write_local(hash, made);
            }
            let collected = self.collected_keywords(keywords);
            self.write_local(id, collected);
        }
        for (id, default, absent) in left_out {
            let value = match absent {
                None => self.expr(default),
                Some(Absent::Where(absent)) => {
                    self.enter(default);
                    let condition = super::Condition { value: absent, yes: vec![], no: vec![] };
                    self.branch(9, condition, |s| s.expr(default), |s| s.local_value(id))
                }
                Some(Absent::Unless { has, hash, name }) => {
                    self.enter(default);
                    let condition = super::Condition { value: has, yes: vec![], no: vec![] };
                    self.branch(9, condition, |s| s.value_of_key(&hash, name), |s| s.expr(default))
                }
            };
            self.write_local(id, value);
        }
        for (id, multiple) in &params.destructured {
            let value = self.read_local(*id);
            self.assign_multiple(multiple, &value);
        }
    }

    /// Binds as many positional arguments as are known; gives the parameters that are left to their defaults.
    fn bind_positional<'p>(&mut self, params: &'p Params, positional: Vec<Operand>) -> Vec<LeftOut<'p>> {
        let required = params.required.len() + params.post.len();
        let optional = positional.len().saturating_sub(required).min(params.optional.len());
        let mut rest = positional.into_iter();
        let (given, left_out) = params.optional.split_at(optional);
        for id in params.required.iter().chain(given.iter().map(|(id, _)| id)) {
            let value = rest.next().unwrap_or_else(Operand::nil);
            self.write_local(*id, value);
        }
        let mut rest: Vec<Operand> = rest.collect();
        let post = rest.split_off(rest.len().saturating_sub(params.post.len()));
        if let Some(id) = params.rest {
            let rest = self.rest_of_known(&rest);
            self.write_local(id, rest);
        }
        for (id, value) in params.post.iter().zip(post) {
            self.write_local(*id, value);
        }
        left_out.iter().map(|(id, default)| (*id, default, None)).collect()
    }

    /// Arguments of what takes no keywords: they are a Hash behind the others. `None` where that is refused.
    pub(crate) fn with_keyword_hash(&mut self, arguments: &Arguments) -> Option<Arguments> {
        if arguments.splat.is_some() {
            self.refuse_collected_keywords();
            return None;
        }
        if self.may_pass_nothing(&arguments.keywords) {
            return None;
        }
        let hash = self.hash_of_keywords(&arguments.keywords);
        let mut with_hash = Arguments { keywords: vec![], ..arguments.clone() };
        with_hash.positional.push(hash);
        (!with_hash.has_bottom()).then_some(with_hash)
    }

    /// A Hash of keywords.
    pub(super) fn hash_of_keywords(&mut self, keywords: &[(String, Operand)]) -> Operand {
        if let [(name, hash)] = keywords
            && name == BARE_HASH
        {
            return hash.clone();
        }
        if has_hash_splat(keywords) {
            return self.hash_of_spread(keywords);
        }
        let mut pairs = Vec::new();
        for (name, value) in keywords {
            pairs.extend([self.symbol(name), value.clone()]);
        }
        self.send_from(&Operand::nil(), "#new_hash", &pairs, 0x2f, CallType::Own)
    }

    /// What `**` collects: a record of class Hash.
    fn collected_keywords(&mut self, keywords: Vec<(String, Operand)>) -> Operand {
        let fields = keywords.iter().map(|(name, value)| (name.clone(), value.types.clone())).collect();
        let record = RecordType { class: ClassId::HASH, fields };
        Operand {
            types: Type::Record(Rc::new(record)).into(),
            values: keywords.into_iter().flat_map(|(_, value)| value.values).collect(),
            birth: Birth::UNKNOWN,
        }
    }
}

/// Is it what `**` collects?
pub(super) fn is_keywords(ty: &Type) -> bool {
    matches!(ty, Type::Record(record) if record.class == ClassId::HASH && !record.is_hash())
}
