/// A parser of sound records, by the format's page; extensions of later versions stay as bytes.
struct FieldReader {
  private var source: Bytes
  private(set) var fields: [Field] = []

  static func record(_ payload: some Collection<UInt8>) -> [Field] {
    var reader = FieldReader(payload)
    let kind = reader.number("kind", 1)
    reader.number("sequence", 8)
    reader.bytes("predecessor", 32)
    reader.bytes("salt", 32)
    if kind == 1 { reader.keyTable() } else { reader.items() }
    reader.rest("trailer")
    return reader.fields
  }

  static func header(_ bytes: some Collection<UInt8>) -> [Field] {
    var reader = FieldReader(bytes)
    reader.bytes("magic", 8)
    reader.number("version", 4)
    reader.number("zero", 4)
    reader.bytes("digest", 16)
    return reader.fields
  }

  private init(_ bytes: some Collection<UInt8>) { source = Bytes(Array(bytes)[...]) }

  private mutating func keyTable() {
    bytes("subject", 16)
    number("start", 8)
    counted("table") { table in
      table.bytes("identifier", 16)
      table.list("sections") { section in
        switch section.number("section", 1) {
        case 1: section.counted("slot") { $0.slot() }
        case 2: section.counted("key") { $0.key() }
        case 16: section.counted("end") { $0.number("end", 8) }
        default: section.counted("unknown section")
        }
      }
    }
    if source.rest.count > 16 {
      number("continuity count", 1)
      bytes("continuity", source.rest.count - 16)
    }
    bytes("tag", 16)
  }

  private mutating func slot() {
    number("slot number", 4)
    counted("slot name")
    let type = number("slot type", 1)
    switch type {
    case 1: break
    case 2:
      number("log N", 1)
      number("r", 4)
      number("p", 4)
    case 4: counted("credential name")
    case 3, 5: break
    default: return rest("unknown slot")
    }
    counted("slot salt")
    if type != 1 { counted("check") }
    counted("sealed user key")
    rest("slot trailer")
  }

  private mutating func key() {
    number("key number", 4)
    number("purpose", 1)
    list("copies") { copy in
      copy.number("wrapping", 1)
      copy.counted("copy salt")
      copy.counted("sealed key")
    }
  }

  private mutating func items() {
    number("attributes key", 4)
    let count = number("attributes length", 4)
    bytes("attributes", Int(count) + 16)
    rest("secrets")
  }

  @discardableResult
  private mutating func number(_ name: String, _ width: Int) -> UInt64 {
    let value = source.number(width)
    fields.append(.number(name, value, width))
    return value
  }

  private mutating func bytes(_ name: String, _ count: Int) {
    fields.append(.bytes(name, source.take(count)))
  }

  private mutating func rest(_ name: String) {
    if !source.isEmpty { bytes(name, source.rest.count) }
  }

  private mutating func counted(_ name: String) {
    fields.append(.counted(name, source.counted()))
  }

  private mutating func counted(_ name: String, _ read: (inout FieldReader) -> Void) {
    var reader = FieldReader(source.counted())
    read(&reader)
    fields.append(.counted(name, reader.fields))
  }

  private mutating func list(_ name: String, _ read: (inout FieldReader) -> Void) {
    var elements: [Field] = []
    while !source.isEmpty {
      var reader = FieldReader(source.rest)
      read(&reader)
      source = reader.source
      elements.append(.list("one of \(name)", reader.fields))
    }
    fields.append(.list(name, elements))
  }
}

/// The unread part of some bytes.
struct Bytes {
  private(set) var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  var isEmpty: Bool { rest.isEmpty }

  mutating func take(_ count: Int) -> [UInt8] {
    defer { rest = rest.dropFirst(count) }
    return Array(rest.prefix(count))
  }

  mutating func number(_ count: Int) -> UInt64 {
    take(count).reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  mutating func counted() -> ArraySlice<UInt8> {
    let count = Int(number(4))
    return take(count)[...]
  }
}
