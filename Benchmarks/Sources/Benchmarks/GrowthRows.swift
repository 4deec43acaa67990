import FoundationEssentials
import KeyValueStorage
import SecretMigration
import SecretStorage

/// The growth of the work on files of many parts, of which other people may have written any.
///
/// Each row compares four times as many parts with the number. Linear work is in proportion. The
/// rows of settings also write the file, which takes a constant time that can hide cheap quadratic
/// work where the disk is slow: set `TMPDIR` to a directory in memory.
let growthRows: [Row] =
  growth(of: "JSON", json) { url in work(on: KeyValueStore(json: url)) }
  + growth(of: "XML", xml) { url in work(on: KeyValueStore(propertyList: url)) }
  + growth(of: "binary", binary) { url in
    work(on: KeyValueStore(propertyList: url, format: .binary))
  }
  + growth(of: "environment", environment) { url in
    refusable { keep(try ForeignSecrets.environmentFile(at: url, service: "app")) }
  }
  + growth(of: "keychain export", exports) { url in
    refusable { keep(try ForeignSecrets.keychainExport(at: url, passphrase: Secret("".utf8))) }
  }

/// Returns a file with as many parts.
private typealias Input = @Sendable (Int) -> [UInt8]

private func growth(
  of format: String, _ files: some Sequence<(key: String, value: Input)>,
  _ read: @escaping @Sendable (URL) -> Void
) -> [Row] {
  files.map { name, file in
    @Sendable func workload(_ count: Int) -> Workload {
      let url = temporaryDirectory().appending(path: "file")
      attempt { try Data(file(count)).write(to: url) }
      return Workload(name: "\(count) parts") { iterations in
        for _ in 0..<iterations { read(url) }
      }
    }
    return Row(
      name: "growth of \(format): \(name)", subject: workload(80_000), baseline: workload(20_000),
      target: .ratio(atMost: 5))
  }
}

/// A value of any shape.
private struct Anything: Decodable {
  init(from decoder: any Decoder) throws {}
}

/// Reads and decodes all values, and writes the file with another one.
private func work(on store: KeyValueStore) {
  refusable {
    for key in try store.keys() { refusable { keep(try store.value(of: key, as: Anything.self)) } }
    try store.set(UInt32.random(in: .min ... .max), for: "")
  }
}

/// Does work that may find an error, which takes linear time as well.
private func refusable(_ body: () throws -> Void) {
  do { try body() } catch { keep(error) }
}

/// Returns a text with a part for each index, between `start` and `end`.
private func text(
  _ start: String, _ end: String = "", _ part: @escaping @Sendable (Int) -> String
) -> Input {
  { count in Array((start + (0..<count).map(part).joined() + end).utf8) }
}

private func text(_ start: String, _ part: String, _ end: String = "") -> Input {
  text(start, end) { _ in part }
}

/// Returns the texts of each part after each start; U+0000 in a part stands for its index.
private func combinations(
  _ starts: [String], _ parts: [(part: String, end: String)]
) -> [(key: String, value: Input)] {
  starts.flatMap { start in
    parts.map { part, end in
      (
        "\(start.debugDescription) \(part.debugDescription)",
        text(start, end) { part.replacing("\u{0}", with: "\($0)") }
      )
    }
  }
}

private let json: KeyValuePairs<String, Input> = [
  "keys": text("{", "\"\": 0}") { "\"k\($0)\": \($0), " },
  "nested": text("{\"a\": ", "["), "escapes": text("{\"a\": \"", "\\u0041", "\"}"),
  "equal keys": text("{\"a\": {", "\"a\": 1, ", "\"b\": 2}}"),
  "equal keys at the top": text("{", "\"a\": 1, ", "\"b\": 2}"),
  "accents": text("{\"e", "\u{301}", "\": 0}"),
  "keys with accents": text("{", "\"\": 0}") { "\"e\u{301}\($0)\": 0, " },
  "arrays": text("{\"a\": [", "[], ", "0]}"),
  "nested dictionaries": text("{\"a\": ", "{\"a\": "),
  "digits": text("{\"a\": 1", "1", "}"), "fraction": text("{\"a\": 0.", "1", "}"),
  "exponent": text("{\"a\": 1e", "1", "}"), "zeros": text("{\"a\": 1e", "0", "1}"),
  "halves": text("{\"a\": \"", "\\ud83d"),
  "backslashes": text("{\"a\": \"", "\\\\"), "lines": text("{", "\n", "x"),
  "base64": text("{\"a\": \"$base64:", "AAAA", "\"}"), "space": text("{\"a\"", " "),
]

private let xml: KeyValuePairs<String, Input> = [
  "keys": text("<plist><dict>", "</dict></plist>") { "<key>k\($0)</key><true/>" },
  "open comments": text("<plist><dict>", "<!-- "),
  "nested": text("<plist><dict><key>a</key>", "<array>"),
  "references": text("<plist><dict><key>a</key><string>", "&amp;", "</string></dict></plist>"),
  "equal keys": text(
    "<plist><dict><key>a</key><dict>", "<key>a</key><true/>", "</dict></dict></plist>"),
  "comments": text("<plist><dict>", "<!-- -->", "</dict></plist>"),
  "open data": text("<plist><dict>", "<![CDATA["),
  "comments before": text("", "<!-- -->", "<plist><dict></dict></plist>"),
  "instructions": text("", "<?a ?>"), "open instructions": text("<?xml ", "<?a "),
  "arrays": text("<plist><dict><key>a</key><array>", "<array/>", "</array></dict></plist>"),
  "open references": text("<plist><dict><key>a</key><string>", "&"),
  "sections": text(
    "<plist><dict><key>a</key><string>", "<![CDATA[a]]>", "</string></dict></plist>"),
  "data": text("<plist><dict><key>a</key><data>", "AA\n AA", "</data></dict></plist>"),
  "digits": text("<plist><dict><key>a</key><integer>", "1", "</integer></dict></plist>"),
  "real": text("<plist><dict><key>a</key><real>0.", "1", "</real></dict></plist>"),
  "year": text("<plist><dict><key>a</key><date>1", "1", "-01-01T00:00:00Z</date></dict></plist>"),
  "space in a tag": text("<plist><dict><key>a</key><string", " ", ">"),
  "attributes": text("<plist ", "a='b' ", "><dict></dict></plist>"),
  "document type": text("<!DOCTYPE plist [", "<!ENTITY a 'b'>", "]><plist/>"),
  "lines": text("<plist><dict>", "\r\n", "x"),
]

/// Returns a binary property list whose only key has the first of these objects as its value.
///
/// Its offsets and references have four bytes each.
private func list(_ objects: @escaping @Sendable (Int) -> [[UInt8]]) -> Input {
  { count in
    let top = [0xD1] + bigEndian(1) + bigEndian(2)
    var bytes = Array("bplist00".utf8)
    var offsets: [Int] = []
    for object in [top, [0x51, 0x61]] + objects(count) {
      offsets.append(bytes.count)
      bytes += object
    }
    let end = bytes.count
    bytes += offsets.flatMap { bigEndian($0) } + [0, 0, 0, 0, 0, 0, 4, 4]
    return bytes + [offsets.count, 0, end].flatMap { bigEndian($0, size: 8) }
  }
}

private func bigEndian(_ number: Int, size: Int = 4) -> [UInt8] {
  (1...size).map { UInt8(truncatingIfNeeded: number >> (8 * (size - $0))) }
}

private func container(_ marker: UInt8, _ count: Int, of object: Int) -> [UInt8] {
  [marker | 0x0F, 0x12] + bigEndian(count)
    + (0..<(marker == 0xD0 ? 2 : 1) * count).flatMap { _ in bigEndian(object) }
}

private let binary: KeyValuePairs<String, Input> = [
  "objects in one another": list { count in
    // Each has all the following ones as its content.
    (0..<count).map { number in [0x4F, 0x12] + bigEndian(6 * (count - number - 1)) }
  },
  "shared": list { [container(0xA0, $0, of: 3), [0x09]] },
  "equal keys": list { [container(0xD0, $0, of: 3), [0x51, 0x61]] },
  "nested": list { count in (0..<count).map { [0xA1] + bigEndian($0 + 3) } + [[0x09]] },
  "cycle": list { count in (0..<count).map { [0xA1] + bigEndian($0 == count - 1 ? 2 : $0 + 3) } },
  "twice the next": list { count in
    (0..<count).map { [0xA2] + bigEndian($0 + 3) + bigEndian($0 + 3) } + [[0x09]]
  },
  "arrays of one array": list { count in
    [container(0xA0, count, of: 3), container(0xA0, count, of: 4), [0x09]]
  },
  "objects that are missed": list { count in (0..<count).map { _ in [0x09] } },
  "text": list { [[0x5F, 0x12] + bigEndian($0) + [UInt8](repeating: 0x61, count: $0)] },
  "wide text": list {
    [[0x6F, 0x12] + bigEndian($0) + [UInt8](repeating: 0x21, count: 2 * $0)]
  },
]

private let environment = combinations(
  ["", "A='", "A=\"", "A="],
  [
    ("A\u{0}=1\n", ""), ("='", ""), ("A=1\n", ""), ("# A\n", ""), ("\n", "x"), (" ", "A=1"),
    ("\r", ""), ("\\", ""), ("a", "='"), ("$A", ""), ("export ", "A=1"), ("A='b\n' ", "\n"),
  ])

private let exports: [(key: String, value: Input)] = {
  let item = #"{"class": "genp", "v_Data": "BwcH", "labl": "a", "acct": "b"}"#
  let files: [(start: String, part: String, end: String)] = [
    ("[", item + ", ", item + "]"), ("<plist><array>", "<dict></dict>", "</array></plist>"),
    ("[", "[", ""), ("[", "{\"a\": ", ""), ("[", "{}, ", "{}]"),
    ("[{", "\"a\": 1, ", "\"class\": \"genp\"}]"), ("[\"", "\\u0041", "\"]"), ("[\"", "\\", ""),
    ("[1", "1", "]"), ("<plist><array>", "<array>", ""), ("<plist><array>", "<!-- ", ""),
    ("<plist><array><dict>", "<key>a</key><true/>", "</dict></array></plist>"),
    ("<plist><array><string>", "&amp;", "</string></array></plist>"),
    ("<plist><array><data>", "AAAA", "</data></array></plist>"),
    ("<plist><array>", "<![CDATA[", ""), ("<plist><array>", "<?a ?>", "</array></plist>"),
    ("<plist", " a='b'", "><array/></plist>"), ("<plist><array", " ", "/></plist>"),
  ]
  return files.map { start, part, end in
    ("\(start.debugDescription) \(part.debugDescription)", text(start, part, end))
  }
}()
