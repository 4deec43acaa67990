import FoundationEssentials
import TestSupport
import Testing

@testable import ValueFormats

/// Interoperation with Python's `plistlib`, in both directions.
@Suite(.enabled(if: Python.isAvailable, "python3 is not installed"))
struct PropertyListInPythonTests {
  private static let formats: [(any StoredFormat, String)] = [
    (XMLPropertyListFormat(), "FMT_XML"), (BinaryPropertyListFormat(), "FMT_BINARY"),
  ]

  /// A value as read by a program that does not decode escapes.
  private static let dump = """
    import plistlib, struct, sys, datetime
    def dump(v):
        if v is True: return "true"
        if v is False: return "false"
        if isinstance(v, plistlib.UID): return "u%d" % v.data
        if isinstance(v, int): return "i%d" % v
        if isinstance(v, float):
            return "nan" if v != v else "r%x" % struct.unpack(">Q", struct.pack(">d", v))[0]
        if isinstance(v, str): return "s" + v.encode("utf-8").hex()
        if isinstance(v, bytes): return "x" + v.hex()
        if isinstance(v, datetime.datetime):
            delta = v - datetime.datetime(2001, 1, 1)
            return "d%d" % ((delta.days * 86400 + delta.seconds) * 1000000 + delta.microseconds)
        if isinstance(v, list): return "[" + ",".join(map(dump, v)) + "]"
        return "{" + ",".join(sorted(k.encode("utf-8").hex() + ":" + dump(e)
                                     for k, e in v.items())) + "}"

    """

  private func written(key: String, _ isXML: Bool) -> String {
    let isBase64 = EscapedString.unescape(key) != key
    let isEscaped = isXML && (isBase64 || !XMLText.allows(key))
    return hexadecimal((isEscaped ? EscapedString.escape(key, needsEscape: true) : key).utf8)
  }

  /// Returns the output that Python should print for a value.
  private func expected(_ tree: ValueTree, _ isXML: Bool) throws -> String {
    func text(_ string: String) -> String {
      let written = EscapedString.inPropertyList(
        string, isWritable: !isXML || XMLText.allows(string))
      return hexadecimal(written.utf8)
    }
    func real(_ value: Double) -> String {
      value.isNaN ? "nan" : "r\(String(value.bitPattern, radix: 16))"
    }
    switch tree {
    case .null(let depth): return "s" + hexadecimal((depth == 0 ? "$null" : "$null:\(depth)").utf8)
    case .bool(let value): return value ? "true" : "false"
    case .number(.integer(let value)): return "i\(value)"
    case .number(.real(let value)): return real(value)
    case .number(.float(let value)):
      // XML has the Float's own digits, which may denote another Double.
      return real(isXML && value.isFinite ? try #require(Double(value.description)) : Double(value))
    case .number(.text(let spelling)):
      return PropertyListNumber.isInteger(spelling[...])
        ? "i\(spelling)" : real(try #require(Double(spelling)))
    case .string(let string): return "s" + text(string)
    case .data(let data): return "x" + hexadecimal(data)
    case .date(let date):
      let seconds = date.timeIntervalSinceReferenceDate
      let isDate = !isXML || seconds == seconds.rounded()
      if !isDate { return date.iso8601.map { "s" + hexadecimal($0.utf8) } ?? real(seconds) }
      // A single product would have more digits than a Double holds.
      let whole = seconds.rounded(.down)
      return "d\(Int(whole) * 1_000_000 + Int((seconds - whole) * 1_000_000))"
    case .duration(let duration):
      return try expected(
        isXML ? .number(duration.number) : duration.inBinaryPropertyList, isXML)
    case .layered: return "layered"
    case .array(let elements):
      return try "[" + elements.map { try expected($0, isXML) }.joined(separator: ",") + "]"
    case .dictionary(let elements):
      let entries = try elements.map {
        try written(key: $0.string, isXML) + ":" + expected($1, isXML)
      }
      return "{" + entries.sorted().joined(separator: ",") + "}"
    }
  }

  @Test(arguments: 0..<2)
  func pythonReadsEachValue(_ number: Int) throws {
    let seed = UInt64.random(in: 0 ... .max)
    let (format, name) = Self.formats[number]
    var random = SplitMix64(seed: seed)
    let count = Campaign.size(sample: 500, full: 100_000)
    let trees = random.trees(count).map { ($0.key, $0.tree.forPython) }
    let file = try TestFile()
    try file.write(format.join(try format.entries(trees), EnclosingText()))
    let output = try Python.run(
      Self.dump + """
        with open(sys.argv[1], "rb") as file:
            values = plistlib.load(file, fmt=plistlib.\(name))
        for key, value in values.items(): print(dump(key), dump(value))
        """, [file.path])
    let lines = output.split(separator: "\n")
    try #require(lines.count == count)
    for ((key, tree), line) in zip(trees, lines) {
      let key = written(key: key.string, number == 0)
      let value = try expected(tree, number == 0)
      try #require(line == "s\(key) \(value)", "seed \(seed)")
    }
  }

  @Test(arguments: 0..<2)
  func pythonsFilesAreRead(_ number: Int) throws {
    let seed = Int.random(in: 0..<1 << 31)
    let (format, name) = Self.formats[number]
    let file = try TestFile()
    let output = try Python.run(
      Self.dump + """
        import random
        random.seed(\(seed))
        def text():
            return "".join(random.choice("ab <&>]\\\\'\\"\\n\\u00e9\\u20ac\\U0001f600\\u007f$") for _ in
                           range(random.choice([0, 1, 5, 14, 15, 16, 300])))
        def value(depth):
            kind = random.randrange(10 if depth < 4 else 8)
            if kind == 0: return random.random() < 0.5
            if kind == 1: return random.randrange(-2**random.randrange(1, 64), 2**random.randrange(1, 65))
            if kind == 2: return random.choice([0.5, -0.0, 1e300, 5e-324, float("inf"), float("-inf"),
                                                float("nan"), random.random(), random.random() * 1e9])
            if kind == 3: return random.randbytes(random.choice([0, 1, 14, 15, 100, 300]))
            if kind == 4: return datetime.datetime(random.randrange(1, 10000), random.randrange(1, 13),
                                                   random.randrange(1, 29), random.randrange(24),
                                                   random.randrange(60), random.randrange(60))
            if kind < 8: return text()
            if kind == 8: return [value(depth + 1) for _ in range(random.choice([0, 1, 3, 20]))]
            return {text(): value(depth + 1) for _ in range(random.choice([0, 1, 3, 20]))}
        values = {"%d%s" % (n, text()): value(0) for n in range(\(Campaign.size(sample: 300, full: 30_000)))}
        with open(sys.argv[1], "wb") as file:
            plistlib.dump(values, file, fmt=plistlib.\(name), sort_keys=False)
        for key, value in values.items(): print(dump(key), dump(value))
        """, [file.path])
    let bytes = try file.bytes
    let parsed = try format.parse(bytes)
    let lines = output.split(separator: "\n")
    try #require(lines.count == parsed.entries.count)
    for (entry, line) in zip(parsed.entries, lines) {
      let dump = try expected(try format.decode(entry.value), number == 0)
      // Prefixed texts are tested elsewhere; here they are rare and unchanged.
      try #require("s\(hexadecimal(entry.key.string.utf8)) \(dump)" == line, "seed \(seed)")
    }
    let joined = format.join(parsed.entries, parsed.enclosingText)
    if number == 0 { #expect(joined.count { $0 != 0x0A } == bytes.count { $0 != 0x0A }) }
    #expect(try format.parse(joined).entries.map(\.text) == parsed.entries.map(\.text))
  }

  /// Another XML reader also accepts the accepted files, and finds the same keys.
  @Test func damagedFilesThatAreReadAreReadByPython() throws {
    let seed = UInt64.random(in: 0 ... .max)
    let format = XMLPropertyListFormat()
    var random = SplitMix64(seed: seed)
    var damage = Damage(seed: seed)
    var list: [ValueTree] = []
    var expectations: [String] = []
    for _ in 0..<Campaign.size(sample: 20, full: 1_000) {
      let trees = random.trees(2).map { ($0.key, $0.tree.forPython) }
      let file = format.join(try format.entries(trees), EnclosingText())
      for _ in 0..<100 {
        let damaged = damage.damaged(file)
        guard case .success(let parsed) = format.parsed(damaged) else { continue }
        list.append(.data(Data(damaged)))
        expectations.append(
          parsed.entries.map { hexadecimal($0.key.string.utf8) }.sorted().joined(separator: ","))
      }
    }
    let files = try TestFile()
    try files.write(BinaryPropertyListFormat().encode(.array(list)))
    let output = try Python.run(
      """
      import plistlib, sys, base64, re
      # Apple's readers take any year, and white space around a date; plistlib takes neither.
      other_date = re.compile(rb"<date\\s*>(\\s|-|0000|[0-9]{5})")
      def key(k):
          if k.startswith("$base64:"):
              try:
                  b = base64.b64decode(k[8:], validate=True)
                  if base64.b64encode(b).decode() == k[8:]: return b.decode("utf-8")
              except ValueError: pass
          return k
      with open(sys.argv[1], "rb") as file: files = plistlib.load(file)
      for file in files:
          if other_date.search(file):
              print("another date")
              continue
          try: print(",".join(sorted(key(k).encode("utf-8").hex() for k in plistlib.loads(file, fmt=plistlib.FMT_XML))))
          except Exception as error: print(repr(error), file)
      """, [files.path])
    let lines = output.split(separator: "\n", omittingEmptySubsequences: false)
    try #require(lines.count == expectations.count + 1 && !expectations.isEmpty)
    for (line, keys) in zip(lines, expectations) where line != "another date" {
      #expect(line == keys, "seed \(seed)")
    }
  }
}
