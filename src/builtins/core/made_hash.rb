module MadeHash
  def __refuse_frozen
    raise FrozenError.new("can't modify frozen Hash: #{inspect}", receiver: self)
  end
end
