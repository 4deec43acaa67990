extension KeyTable {
  private enum Tag {
    static let slot: UInt8 = 1
    static let key: UInt8 = 2
    static let exportEnd: UInt8 = 16
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
    if let exportEnd {
      bytes.append(Tag.exportEnd)
      bytes.append(littleEndian: UInt32(8))
      bytes.append(littleEndian: exportEnd)
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
      case Tag.exportEnd:
        var reader = RecordReader(section)
        let end: UInt64 = try reader.integer()
        guard RecordHeader.sequences.contains(end) else { throw MalformedRecord() }
        exportEnd = end
      default:
        unknown.append((tag, section))
      }
      guard slots.count <= Self.slotLimit, keys.count <= Self.keyLimit else {
        throw MalformedRecord()
      }
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
