# The format of `format`: what Ruby's sprintf.c makes of one.

module String
  # The number at a byte.
  def __format_number(i)
    value = 0
    while i < __bytesize && __digit?(__byte(i))
      value = value * 10 + __byte(i) - 0x30 if value <= 0x7fff_ffff
      i += 1
    end
    value
  end

  # `kinds`: of which directives there can be any, see `string.rs`. Where they name values, `args` is the Hash of these.
  def __format(args, kinds)
    n = __bytesize
    out = __build(n)
    used = 0
    numbered = false
    i = 0
    while i < n
      from = i
      i += 1 while i < n && __byte(i) != 0x25
      out.__append(self, from, i - from)
      break if i == n

      i += 1
      raise ArgumentError, "incomplete format specifier; use %% (double %) instead" if i == n

      flags = 0
      width = -1
      precision = -1
      dotted = false
      place = -1
      named = false
      name = nil
      value = nil
      while true
        byte = i < n ? __byte(i) : 0
        if byte == 0x20 || byte == 0x23 || byte == 0x2b || byte == 0x2d || byte == 0x30
          raise ArgumentError, "flag after width" if width >= 0
          raise ArgumentError, "flag after precision" if dotted

          flags |= byte == 0x2d ? 1 : byte == 0x2b ? 2 : byte == 0x20 ? 4 : byte == 0x30 ? 8 : 16
          i += 1
        elsif byte >= 0x31 && byte <= 0x39
          number = __format_number(i)
          raise ArgumentError, "width too big" if number > 0x7fff_ffff

          i += 1 while i < n && __digit?(__byte(i))
          raise ArgumentError, "malformed format string - %*[0-9]" if i >= n
          if __byte(i) == 0x24
            raise ArgumentError, "value given twice - #{number}$" if place >= 0
            raise ArgumentError, "numbered(#{number}) after unnumbered(#{used})" if used > 0

            __refuse_names if kinds & 128 != 0
            place = number - 1
            numbered = true
            __check_place(args, place) if kinds & 128 == 0
            i += 1
          else
            raise ArgumentError, "width given twice" if width >= 0
            raise ArgumentError, "width after precision" if dotted

            width = number
          end
        elsif byte == 0x2a && kinds & 64 != 0
          raise ArgumentError, "width given twice" if width >= 0
          raise ArgumentError, "width after precision" if dotted

          __check_star(i + 1)
          __check_unnumbered(numbered, used)
          width = __to_long(__format_argument(args, used))
          used += 1
          __refuse_names if width.abs > 0x7fff_ffff
          flags |= 1 if width < 0
          width = -width if width < 0
          i += 1
        elsif byte == 0x2e
          raise ArgumentError, "precision given twice" if dotted

          dotted = true
          i += 1
          if kinds & 64 != 0 && i < n && __byte(i) == 0x2a
            __check_star(i + 1)
            __check_unnumbered(numbered, used)
            precision = __to_long(__format_argument(args, used))
            used += 1
            __refuse_names if precision.abs > 0x7fff_ffff
            precision = -1 if precision < 0
            i += 1
          else
            precision = __format_number(i)
            raise ArgumentError, "precision too big" if precision > 0x7fff_ffff

            i += 1 while i < n && __digit?(__byte(i))
            raise ArgumentError, "malformed format string - %*[0-9]" if i >= n
          end
        elsif kinds & 128 != 0 && (byte == 0x3c || byte == 0x7b)
          start = i
          last = byte == 0x3c ? 0x3e : 0x7d
          i += 1 while i < n && __byte(i) != last
          raise ArgumentError, "malformed name - unmatched parenthesis" if i >= n

          shown = __build(8).__append(self, start, i + 1 - start)
          if named
            message = "named#{shown} after <#{name}>"
            raise ArgumentError, message
          end

          named = true
          name = __build(8).__append(self, start + 1, i - start - 1)
          value = args.__format_value(name, shown)
          if last == 0x7d
            byte = 0x73
            break
          end
          i += 1
        else
          break
        end
      end
      flagged = flags > 0 || width >= 0 || dotted
      # Rubies differ here.
      __refuse_names if kinds & 128 != 0 && named && i >= n
      if byte == 0x25 || byte == 0x0a || byte == 0
        raise ArgumentError, "invalid format character - %" if flagged

        out.__push(0x25)
        i += 1 if byte == 0x25
        next
      end
      __refuse_names if byte == 0x3c || byte == 0x7b
      __refuse_directive unless __directive?(byte)
      if kinds & 128 != 0
        __refuse_names unless named
      else
        if place < 0
          __check_unnumbered(numbered, used)
          place = used
          used += 1
        end
        value = __format_argument(args, place)
      end
      i += 1
      case byte
      when 0x73
        __refuse_directive if kinds & 1 == 0
        out.__put_s(value, flags, width, precision)
      when 0x70
        __refuse_directive if kinds & 2 == 0
        out.__put_p(value, flags, width, precision)
      when 0x63
        __refuse_directive if kinds & 4 == 0
        out.__put_c(value, flags, width, precision)
      when 0x64, 0x69, 0x75
        __refuse_directive if kinds & 8 == 0
        out.__put_d(value, flags, width, precision)
      when 0x78, 0x58, 0x6f, 0x62, 0x42
        __refuse_directive if kinds & 8 == 0
        out.__put_based(value, byte, flags, width, precision)
      when 0x61, 0x41
        __refuse_directive if kinds & 256 == 0
        out.__put_a(value, byte, flags, width, precision)
      else
        __refuse_directive if kinds & 48 == 0
        if byte == 0x66
          out.__put_f(value, flags, width, precision)
        else
          out.__put_e(value, byte, flags, width, precision)
        end
      end
    end
    out
  end

  def __check_unnumbered(numbered, used)
    raise ArgumentError, "unnumbered(#{used + 1}) mixed with numbered" if numbered
  end

  def __directive?(byte)
    case byte
    when 0x73, 0x70, 0x63, 0x64, 0x69, 0x75, 0x78, 0x58, 0x6f, 0x62, 0x42, 0x66, 0x67, 0x47, 0x65, 0x45, 0x61, 0x41
      true
    else
      false
    end
  end

  def __check_place(args, place)
    raise ArgumentError, "invalid index - #{place + 1}$" if place < 0
    raise ArgumentError, "too few arguments" if place >= args.size
  end

  def __check_star(i)
    raise ArgumentError, "malformed format string - %*[0-9]" if i >= __bytesize

    __refuse_names if __digit?(__byte(i))
  end

  def __format_argument(args, index)
    __check_place(args, index)
    __argument_at(args, index)
  end

  # The digits without the last ones, rounded: half to even. `half`: what is behind them is taken for a half.
  def __round_digits(cut, half)
    n = __bytesize
    keep = n - cut
    out = __build(n + 1)
    return out.__push(0x30) if keep < 0

    keep == 0 ? out.__push(0x30) : out.__append(self, 0, keep)
    return out if cut == 0

    i = keep + 1
    i += 1 while i < n && __byte(i) == 0x30
    last = out.__bytesize - 1
    side = __byte(keep) - 0x35
    odd = out.__byte(last).odd?
    up = half ? odd : side > 0 || (side == 0 && (i < n || odd))
    if up
      while last >= 0 && out.__byte(last) == 0x39
        out.__set_byte(last, 0x30)
        last -= 1
      end
      return __build(n + 1).__push(0x31).__append(out, 0, out.__bytesize) if last < 0

      out.__set_byte(last, out.__byte(last) + 1)
    end
    out
  end
end
