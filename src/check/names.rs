//! Which method of the files at hand a call means, as far as names tell. Where several could be meant, it is none.

use super::Known;
use crate::infer::host::{FoundMethod, Method};
use crate::source::Span;
use crate::syntax::outline::{Definition, Opening, Outline, Own};
use crate::types::ClassId;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// A method of the files, and what `self` is in it.
pub(super) struct Callee {
    pub span: Span,
    pub own: Own,
}

/// What the files define.
pub(super) struct Names {
    definitions: FxHashMap<String, Vec<Definition>>,
    modules: FxHashMap<String, Opening>,
    constants: BTreeSet<String>,
    symbols: BTreeSet<String>,
    /// Nothing defines methods but what stands there.
    is_whole: bool,
}

/// What stands above a class in the order of lookup, itself included.
enum Link {
    /// In the files.
    Written(String),
    /// Ruby's own.
    Own(ClassId),
    Unknown,
}

impl Names {
    pub fn new(outlines: Vec<Outline>, is_whole: bool) -> Self {
        let mut names = Self {
            definitions: FxHashMap::default(),
            modules: FxHashMap::default(),
            constants: BTreeSet::new(),
            symbols: BTreeSet::new(),
            is_whole,
        };
        for outline in outlines {
            names.is_whole &= !outline.evaluates;
            names.constants.extend(outline.constants);
            names.symbols.extend(outline.symbols);
            for definition in outline.definitions {
                names.definitions.entry(definition.name.clone()).or_default().push(definition);
            }
            for opening in outline.openings {
                match names.modules.get_mut(&opening.path) {
                    Some(known) => {
                        known.superclass = known.superclass.take().or(opening.superclass);
                        known.included.extend(opening.included);
                        known.extended.extend(opening.extended);
                        known.is_prepended |= opening.is_prepended;
                        known.functions |= opening.functions;
                    }
                    None => {
                        names.modules.insert(opening.path.clone(), opening);
                    }
                }
            }
        }
        names
    }

    /// Do methods of that name stand in the files?
    pub fn are_written(&self, name: &str) -> bool {
        self.definitions.contains_key(name)
    }

    /// May the files define methods of that name?
    pub fn are_defined(&self, name: &str) -> bool {
        self.are_written(name) || self.symbols.contains(name)
    }

    /// Do the files assign the constant that such a path begins with?
    pub fn are_constants(&self, path: &str) -> bool {
        let first = path.trim_start_matches("::").split("::").next().unwrap_or_default();
        self.constants.contains(first)
    }

    /// What a message calls the class of `self`, where a function of that name is Kernel's there: `Car#`.
    pub fn own(&self, own: &Own, name: &str, known: &mut dyn Known) -> Option<String> {
        if !self.is_whole || self.are_defined(name) {
            return None;
        }
        let (of, top, path) = match own {
            Own::Unknown => return None,
            Own::Main => return Some("Object#".into()),
            Own::Instance(path) => (format!("{path}#"), ClassId::OBJECT, path),
            Own::Module(path) => (format!("{path}."), ClassId::CLASS, path),
        };
        let links = match own {
            Own::Instance(_) => self.links(path, known),
            _ => self.own_links(path, known),
        };
        let is_module = self.modules.get(path).is_some_and(|module| !module.is_class);
        if is_module && matches!(own, Own::Instance(_)) {
            return None;
        }
        let mut classes = vec![top];
        for link in links {
            match link {
                Link::Written(_) => {}
                Link::Own(class) => classes.push(class),
                Link::Unknown => return None,
            }
        }
        let mut is_of_kernel = |class: ClassId| match known.method(class, name) {
            Ok(None) => true,
            Ok(Some(FoundMethod { owner, method: Method::Native { .. }, .. })) => {
                matches!(owner, ClassId::KERNEL | ClassId::BASIC_OBJECT)
            }
            _ => false,
        };
        classes.into_iter().all(&mut is_of_kernel).then_some(of)
    }

    /// That of `Car.name`.
    pub fn of_constant(&self, own: &Own, path: &str, name: &str) -> Option<Callee> {
        if !self.can_tell(name) {
            return None;
        }
        let path = self.resolve(path, own.path())?;
        let module = &self.modules[&path];
        let of_module = self.only(name, &Own::Module(path.clone()));
        match of_module {
            Some(callee) => Some(callee),
            None if self.definitions_of(name, &Own::Module(path.clone())).next().is_some() => None,
            None if name == "new" && module.is_class && !module.is_prepended => {
                self.only("initialize", &Own::Instance(path))
            }
            None if module.functions => {
                let callee = self.only(name, &Own::Instance(path.clone()))?;
                Some(Callee { own: Own::Module(path), ..callee })
            }
            None => None,
        }
    }

    /// That of a call on self.
    pub fn of_self(&self, own: &Own, name: &str, known: &mut dyn Known) -> Option<Callee> {
        if !self.can_tell(name) {
            return None;
        }
        let path = match own {
            Own::Unknown => return self.of_any(name, known),
            Own::Main => return self.only(name, &Own::Main),
            Own::Instance(path) | Own::Module(path) => path,
        };
        let is_instance = matches!(own, Own::Instance(_));
        let links = if is_instance { self.links(path, known) } else { self.own_links(path, known) };
        for link in links {
            let owner = match link {
                Link::Unknown => return None,
                Link::Own(class) => match known.method(class, name) {
                    Ok(None) => continue,
                    _ => return None,
                },
                Link::Written(above) => above,
            };
            if self.modules.get(&owner).is_some_and(|module| module.is_prepended) {
                return None;
            }
            let mut owners = vec![Own::Instance(owner.clone())];
            let is_extended = self.modules.get(&owner).is_some_and(|module| module.functions);
            if !is_instance {
                owners.insert(0, Own::Module(owner.clone()));
                // A module that extends a class has instance methods for it.
                let is_class = self.modules.get(&owner).is_some_and(|module| module.is_class);
                owners.truncate(if is_extended || !is_class && owner != *path { 2 } else { 1 });
            }
            for of in owners {
                if self.definitions_of(name, &of).next().is_some() {
                    if self.is_overridden(path, name, is_instance, known) {
                        return None;
                    }
                    let callee = self.only(name, &of)?;
                    return Some(Callee { own: own.clone(), ..callee });
                }
            }
        }
        self.only(name, &Own::Main)
    }

    /// That of a call on anything: the only method of that name, where no class in C has such a one.
    pub fn of_any(&self, name: &str, known: &dyn Known) -> Option<Callee> {
        if !self.can_tell(name) || known.is_name_of_c(name) {
            return None;
        }
        match &self.definitions.get(name)?[..] {
            [Definition { span, own: own @ Own::Instance(_), .. }] => {
                Some(Callee { span: *span, own: own.clone() })
            }
            _ => None,
        }
    }

    fn can_tell(&self, name: &str) -> bool {
        self.is_whole && !self.symbols.contains(name)
    }

    fn definitions_of(&self, name: &str, own: &Own) -> impl Iterator<Item = &Definition> {
        self.definitions.get(name).into_iter().flatten().filter(move |definition| definition.own == *own)
    }

    fn only(&self, name: &str, own: &Own) -> Option<Callee> {
        let mut all = self.definitions_of(name, own);
        let first = all.next()?;
        all.next().is_none().then(|| Callee { span: first.span, own: first.own.clone() })
    }

    /// Does a class below that have a method of that name?
    fn is_overridden(&self, path: &str, name: &str, is_instance: bool, known: &mut dyn Known) -> bool {
        self.modules.keys().filter(|below| *below != path).any(|below| {
            let own = match is_instance {
                true => Own::Instance(below.clone()),
                false => Own::Module(below.clone()),
            };
            self.definitions_of(name, &own).next().is_some()
                && self.links(below, known).iter().any(|link| matches!(link, Link::Written(at) if at == path))
        })
    }

    /// The path of a module of the files that is named so in a module.
    fn resolve(&self, name: &str, around: Option<&str>) -> Option<String> {
        if let Some(path) = name.strip_prefix("::") {
            return self.modules.contains_key(path).then(|| path.into());
        }
        let mut around = around;
        while let Some(module) = around {
            let path = format!("{module}::{name}");
            if self.modules.contains_key(&path) {
                return Some(path);
            }
            around = module.rsplit_once("::").map(|(outer, _)| outer);
        }
        self.modules.contains_key(name).then(|| name.into())
    }

    fn links(&self, path: &str, known: &mut dyn Known) -> Vec<Link> {
        let mut links = Vec::new();
        self.add_links(path, known, &mut links, &mut BTreeSet::new());
        links
    }

    fn add_links(
        &self,
        path: &str,
        known: &mut dyn Known,
        links: &mut Vec<Link>,
        seen: &mut BTreeSet<String>,
    ) {
        if !seen.insert(path.into()) {
            return;
        }
        links.push(Link::Written(path.into()));
        if let Some(class) = known.module(path) {
            links.push(Link::Own(class));
        }
        let Some(module) = self.modules.get(path) else { return };
        let around = path.rsplit_once("::").map(|(outer, _)| outer);
        // Of the modules the last one is asked first.
        for name in module.included.iter().rev().chain(&module.superclass) {
            self.add_link(name.as_deref(), around, known, links, seen);
        }
    }

    fn add_link(
        &self,
        name: Option<&str>,
        around: Option<&str>,
        known: &mut dyn Known,
        links: &mut Vec<Link>,
        seen: &mut BTreeSet<String>,
    ) {
        match name {
            None => links.push(Link::Unknown),
            Some(name) => match self.resolve(name, around) {
                Some(path) => self.add_links(&path, known, links, seen),
                None if self.are_constants(name) => links.push(Link::Unknown),
                None => {
                    links.push(known.module(name.trim_start_matches("::")).map_or(Link::Unknown, Link::Own))
                }
            },
        }
    }

    /// The same for the methods of the module itself.
    fn own_links(&self, path: &str, known: &mut dyn Known) -> Vec<Link> {
        let mut links = Vec::new();
        let mut seen = BTreeSet::new();
        let mut next = Some(path.to_owned());
        while let Some(path) = next.take() {
            if !seen.insert(path.clone()) {
                break;
            }
            links.push(Link::Written(path.clone()));
            if known.module(&path).is_some() {
                links.push(Link::Unknown);
            }
            let Some(module) = self.modules.get(&path) else { break };
            let around = path.rsplit_once("::").map(|(outer, _)| outer);
            for name in module.extended.iter().rev() {
                self.add_link(name.as_deref(), around, known, &mut links, &mut BTreeSet::new());
            }
            if !module.is_class {
                break;
            }
            match &module.superclass {
                None => {}
                Some(Some(name)) => match self.resolve(name, around) {
                    Some(above) => next = Some(above),
                    None if self.are_constants(name) => links.push(Link::Unknown),
                    // Classes of Ruby's own have methods of their own.
                    None if known
                        .module(name.trim_start_matches("::"))
                        .is_some_and(|class| class.is_plain()) =>
                    {
                        links.push(Link::Unknown);
                    }
                    None if known.module(name.trim_start_matches("::")).is_none() => {
                        links.push(Link::Unknown)
                    }
                    None => {}
                },
                Some(None) => links.push(Link::Unknown),
            }
        }
        links
    }
}

impl Own {
    fn path(&self) -> Option<&str> {
        match self {
            Self::Unknown | Self::Main => None,
            Self::Instance(path) | Self::Module(path) => Some(path),
        }
    }
}
