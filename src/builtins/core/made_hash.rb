module MadeHash
  def __refuse_frozen
    raise FrozenError, "can't modify frozen Hash: #{inspect}"
  end
end
