extension KeySlot {
  private enum SlotType {
    static let device: UInt8 = 1
    static let passphrase: UInt8 = 2
    static let keyFile: UInt8 = 3
    static let credential: UInt8 = 4
    static let recoveryCode: UInt8 = 5
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
    case .passphrase(let cost, let key):
      bytes.append(SlotType.passphrase)
      bytes.append(cost.logarithmicCost)
      bytes.append(littleEndian: cost.blockSize)
      bytes.append(littleEndian: cost.parallelization)
      key.encode(into: &bytes)
    case .keyFile(let key):
      bytes.append(SlotType.keyFile)
      key.encode(into: &bytes)
    case .credential(let name, let key):
      bytes.append(SlotType.credential)
      bytes.append(counted: name.utf8)
      key.encode(into: &bytes)
    case .recoveryCode(let key):
      bytes.append(SlotType.recoveryCode)
      key.encode(into: &bytes)
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
      content = .passphrase(cost: cost, try SealedUserKey(&reader))
    case SlotType.keyFile:
      content = .keyFile(try SealedUserKey(&reader))
    case SlotType.credential:
      let name = String(decoding: try reader.countedBytes(), as: UTF8.self)
      content = .credential(name: name, try SealedUserKey(&reader))
    case SlotType.recoveryCode:
      content = .recoveryCode(try SealedUserKey(&reader))
    case let type:
      content = .unknown(type: type, bytes: reader.remaining)
    }
  }
}

extension SealedUserKey {
  fileprivate func encode(into bytes: inout [UInt8]) {
    bytes.append(counted: salt)
    bytes.append(counted: check)
    bytes.append(counted: sealed)
  }

  fileprivate init(_ reader: inout RecordReader) throws(MalformedRecord) {
    salt = try reader.countedBytes()
    check = try reader.countedBytes()
    sealed = try reader.countedBytes()
  }
}
