# Dates of texts.

module DateClass
end
