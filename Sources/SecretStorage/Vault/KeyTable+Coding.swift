extension KeyTable {
  private enum Tag {
    static let slot: UInt8 = 1
    static let key: UInt8 = 2
  }

  /// The table as sections: a tag, a count of bytes, and the bytes.
  var encoded: [UInt8] {
    var bytes = vaultID
    for slot in slots {
      bytes.append(Tag.slot)
      bytes.append(counted: slot.encoded)
    }
    for key in keys {
      bytes.append(Tag.key)
      bytes.append(counted: key.encoded)
    }
    for section in unknown {
      bytes.append(section.tag)
      bytes.append(counted: section.bytes)
    }
    return bytes
  }

  init(decoding bytes: ArraySlice<UInt8>) throws(MalformedRecord) {
    var reader = RecordReader(bytes)
    vaultID = Array(try reader.bytes(Self.idCount))
    slots = []
    keys = []
    while !reader.isAtEnd {
      let tag = try reader.integer(UInt8.self)
      let section = try reader.countedBytes()
      switch tag {
      case Tag.slot:
        slots.append(try KeySlot(decoding: section))
      case Tag.key:
        if let key = try SealedKey(decoding: section) {
          keys.append(key)
        } else {
          unknown.append((tag, section))
        }
      default:
        unknown.append((tag, section))
      }
    }
  }
}

extension KeySlot {
  private enum SlotType {
    static let device: UInt8 = 1
    static let passphrase: UInt8 = 2
  }

  var encoded: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(littleEndian: id)
    bytes.append(counted: name.utf8)
    switch content {
    case .device(let salt, let sealed):
      bytes.append(SlotType.device)
      bytes.append(counted: salt)
      bytes.append(counted: sealed)
    case .passphrase(let cost, let salt, let check, let sealed):
      bytes.append(SlotType.passphrase)
      bytes.append(cost.logarithmicCost)
      bytes.append(littleEndian: cost.blockSize)
      bytes.append(littleEndian: cost.parallelization)
      bytes.append(counted: salt)
      bytes.append(counted: check)
      bytes.append(counted: sealed)
    case .unknown(let type, let content):
      bytes.append(type)
      bytes += content
    }
    return bytes
  }

  init(decoding bytes: ArraySlice<UInt8>) throws(MalformedRecord) {
    var reader = RecordReader(bytes)
    id = try reader.integer()
    name = String(decoding: try reader.countedBytes(), as: UTF8.self)
    switch try reader.integer(UInt8.self) {
    case SlotType.device:
      content = .device(salt: try reader.countedBytes(), sealed: try reader.countedBytes())
    case SlotType.passphrase:
      let cost = ScryptCost(
        logarithmicCost: try reader.integer(), blockSize: try reader.integer(),
        parallelization: try reader.integer())
      content = .passphrase(
        cost: cost, salt: try reader.countedBytes(), check: try reader.countedBytes(),
        sealed: try reader.countedBytes())
    case let type:
      content = .unknown(type: type, bytes: reader.remaining)
    }
  }
}

extension SealedKey {
  var encoded: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(littleEndian: id)
    bytes.append(purpose.code)
    for copy in copies {
      bytes.append(copy.wrapping.rawValue)
      bytes.append(counted: copy.salt)
      bytes.append(counted: copy.sealed)
    }
    return bytes
  }

  /// Nil stands for a key of a purpose, or under a wrapping, that only a newer version knows.
  init?(decoding bytes: ArraySlice<UInt8>) throws(MalformedRecord) {
    var reader = RecordReader(bytes)
    id = try reader.integer()
    guard let purpose = KeyPurpose(code: try reader.integer()) else { return nil }
    self.purpose = purpose
    var copies: [Copy] = []
    while !reader.isAtEnd {
      guard let wrapping = KeyWrapping(rawValue: try reader.integer()) else { return nil }
      copies.append(
        Copy(
          wrapping: wrapping, salt: try reader.countedBytes(), sealed: try reader.countedBytes()))
    }
    self.copies = copies
  }
}
