# Methods of the class.

module RegexpClass
  def __new(pattern, options = nil, encoding = nil)
    __refuse_options unless encoding.__nil?
    return pattern.__copy if pattern.is_a?(Regexp)

    "".__string_argument(pattern).__as_pattern(__options(options), nil)
  end

  def __options(options)
    return 0 unless options

    if options.is_a?(Integer)
      __refuse_options if options & 7 != options
      options
    else
      __refuse_options unless options == true
      1
    end
  end

  def compile(pattern, options = nil)
    __new(pattern, options)
  end

  def escape(text)
    __source(text).__escaped
  end

  def quote(text)
    escape(text)
  end

  def __source(text)
    text.is_a?(Symbol) ? text.name : "".__string_argument(text)
  end

  def union(*patterns)
    if patterns.size == 1
      only = patterns.__item(0)
      return only.is_a?(Array) ? __union(only) : __alone(only)
    end
    __union(patterns)
  end

  def __alone(pattern)
    pattern.is_a?(Regexp) ? "".__regexp(pattern.__address, false) : __source(pattern).__escaped.__as_pattern(0, nil)
  end

  def __union(patterns)
    return "(?!)".__as_pattern(0, nil) if patterns.size == 0
    return __alone(patterns.__item(0)) if patterns.size == 1

    source = "".__build(16)
    patterns.each_with_index do |pattern, i|
      source.__concat("|") if i > 0
      source.__concat(pattern.is_a?(Regexp) ? pattern.to_s : "".__string_argument(pattern).__escaped)
    end
    source.__as_pattern(0, nil)
  end
end
