import CipherSupport
@testable import SecretStorage

/// The parsed file of a vault, which can be encoded again with every digest right.
struct ForgedFile {
  /// A record with its frame, or arbitrary bytes.
  enum Piece {
    case record([Field])
    case bytes([UInt8])

    var record: [Field]? { if case .record(let fields) = self { fields } else { nil } }
  }

  /// The links of the chain to recompute in all records after a change.
  struct Repairs: OptionSet {
    let rawValue: Int

    static let sequences = Repairs(rawValue: 1)
    static let predecessors = Repairs(rawValue: 2)
    static let starts = Repairs(rawValue: 4)
    static let all: Repairs = [.sequences, .predecessors, .starts]
  }

  static let magic: [UInt8] = [0xF5, 0x4C, 0x4B, 0x52]
  private static let headerCount = 32
  static let frameCount = 44

  var header: [Field]
  var pieces: [Piece] = []

  init(header: [Field], records: [[Field]]) {
    self.header = header
    pieces = records.map(Piece.record)
  }

  init(_ bytes: [UInt8]) {
    header = FieldReader.header(bytes.prefix(Self.headerCount))
    var rest = bytes.dropFirst(Self.headerCount)
    while !rest.isEmpty {
      var frame = Bytes(rest.dropFirst(4))
      let count = Int(frame.number(4))
      pieces.append(.record(FieldReader.record(rest.dropFirst(Self.frameCount).prefix(count))))
      rest = rest.dropFirst(Self.frameCount + count)
    }
  }

  var records: [[Field]] { pieces.compactMap(\.record) }

  var identifiers: Set<[UInt8]> {
    let tables = records.filter { $0[number: "kind"] == 1 }
    return Set(tables.map { $0["table"].parts["identifier"].encoded })
  }

  /// The file with right lengths and digests, even over wrong contents.
  var encoded: [UInt8] {
    var header = header
    let digest = Self.digest(Array(header.dropLast()).encoded)
    header["digest"] = .bytes("digest", digest.prefix(16))
    return pieces.reduce(into: header.encoded) { file, piece in
      switch piece {
      case .bytes(let bytes): file += bytes
      case .record(let fields): file += Self.frame(of: fields.encoded)
      }
    }
  }

  /// Returns the beginning of a frame, followed by its payload.
  static func frame(
    of payload: [UInt8], claiming count: UInt32? = nil, digest: [UInt8]? = nil
  ) -> [UInt8] {
    let count = count ?? UInt32(payload.count)
    let head: [Field] = [
      .bytes("magic", magic), .number("length", count, 4), .number("inverted", ~count, 4),
      .bytes("digest", digest ?? Self.digest(payload)),
    ]
    return head.encoded + payload
  }

  static func digest(_ bytes: [UInt8]) -> [UInt8] {
    do {
      return try cipher.digest(bytes[...])
    } catch {
      fatalError("\(error)")
    }
  }

  private static let cipher = TestCipher()

  mutating func changeRecords(_ change: (inout [Field]) -> Void) {
    for index in pieces.indices {
      guard case .record(var fields) = pieces[index] else { continue }
      change(&fields)
      pieces[index] = .record(fields)
    }
  }

  /// Recomputes the chain of the records, beginning at the first one's sequence number.
  mutating func makeRight(_ repairs: Repairs) {
    guard let first = records.first else { return }
    let start = first[number: "sequence"]
    var last: (sequence: UInt64, digest: [UInt8])?
    changeRecords { fields in
      if let last {
        if repairs.contains(.sequences) { fields[number: "sequence"] = last.sequence &+ 1 }
        if repairs.contains(.predecessors) {
          fields["predecessor"] = .bytes("predecessor", last.digest)
        }
      }
      if repairs.contains(.starts) { fields[number: "start"] = start }
      last = (fields[number: "sequence"], Self.digest(fields.encoded))
    }
  }
}
