// Files with valid parts in the wrong places.
extension Damage {
  /// Objects of every kind, some with impossible counts.
  private static let objects: [[UInt8]] =
    [
      [0x00], [0x08], [0x09], [0x0F], [0x10, 0xFF], [0x13, 0x80, 0, 0, 0, 0, 0, 0, 0],
      [0x14] + [UInt8](repeating: 0xFF, count: 16), [0x22, 0x7F, 0xC0, 0, 0],
      [0x23, 0x7F, 0xF0, 0, 0, 0, 0, 0, 0], [0x33, 0x7F, 0xEF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
      [0x33, 0x7F, 0xF8, 0, 0, 0, 0, 0, 0], [0x40], [0x50], [0x51, 0x80], [0x60],
      [0x62, 0xD8, 0x3D, 0xDE, 0], [0x61, 0xDC, 0], [0x72, 0xC3, 0xA9], [0x80, 1], [0xA0], [0xB0],
      [0xC0], [0xD0],
    ]
    + [0x4F, 0x5F, 0x6F, 0xAF, 0xDF].flatMap { marker in
      numbers.filter { [1, 4, 8].contains($0.count) }.map { number in
        [marker, 0x10 | UInt8(number.count.trailingZeroBitCount)] + number
      }
    }

  /// Returns a binary property list with other objects, references, or trailer numbers.
  mutating func forged(_ list: BinaryPropertyListFile) -> [UInt8] {
    var list = list
    let place = number(0...(list.objects.count - 1))
    switch number(0...9) {
    case 0: list.objects[place] = one(of: Self.objects)
    case 1: list.objects[place] = one(of: list.objects)
    case 2: list.objects[place][0] = list.objects[place][0] & 0xF0 | UInt8(number(0...15))
    // A reference, which makes shared objects, equal keys, and cycles.
    case 3, 4, 5:
      let containers = list.objects.indices.filter { list.objects[$0][0] >= 0xA0 }
      let size = list.referenceSize
      guard let object = containers.randomElement(using: &generator) else { break }
      let slots = (list.objects[object].count - 1) / size
      if slots == 0 { break }
      let end = list.objects[object].count - size * number(0...(slots - 1))
      let reference = UInt64(number(0...list.objects.count))
      list.objects[object].replaceSubrange(
        (end - size)..<end, with: BinaryPropertyListFile.number(reference, size: size))
    // Nested arrays, each with the next one once or twice, in the place of a value.
    case 6:
      let depth = one(of: [3, 40, 511, 600])
      let first = list.objects.count
      if first + depth >= 1 << min(16, 8 * list.referenceSize) { break }
      let references = number(1...2)
      list.objects += (1...depth).map { level in
        let next = BinaryPropertyListFile.number(UInt64(first + level), size: list.referenceSize)
        return [0xA0 | UInt8(references)] + (0..<references).flatMap { _ in next }
      }
      list.objects.append([0x09])
      list.objects.swapAt(place, first)
    case 7: list.top = number(0...list.objects.count)
    case 8:
      let numbers: [UInt64] = [0, 1, 8, UInt64(list.objects.count + 1), 1 << 32, 1 << 63, .max]
      if Bool.random(using: &generator) {
        list.count = one(of: numbers)
      } else {
        list.end = one(of: numbers)
      }
    default:
      let size = one(of: [0, 1, 2, 4, 8, 9, 255])
      if Bool.random(using: &generator) {
        list.offsetSize = size
      } else {
        list.referenceSize = size
      }
    }
    return list.bytes
  }

  /// Words that a parser may misread as larger values or other types.
  private static let words = [
    "0", "-0", "-1", "1e400", "1E+2147483648", "1e-99999999999", "9007199254740993",
    "18446744073709551616", String(repeating: "9", count: 400), "0x7fffffffffffffffffffff", "NaN",
    "+infinity", "true", "null", "{}", "[]", "[[]]", "\"\"", "\"\\u0000\"", "\"\\ud800\"",
    "\"\u{202E}\u{FEFF}\"", "\"$null:1\"", "\"$base64:AAAA\"", "\"$version\"", "<array/>",
    "<dict/>", "<true/>", "<string></string>", "<data>====</data>", "<data>A</data>",
    "<integer>-</integer>", "<integer>99999999999999999999999999999999999999999999</integer>",
    "<real>nan(1)</real>", "<real>1e99999</real>", "<date>0000-00-00T24:60:60Z</date>",
    "<date>99999999999999999999-01-01T00:00:00Z</date>", "<key>a</key>", "&#x110000;", "&#0;",
    "<![CDATA[", "]]>", "<!--", "-->", "<!DOCTYPE", "<?xml", "$(id)", "${A", "\\", "\r",
  ].map { Array($0.utf8) }

  /// Returns a text with its words replaced, reordered or nested.
  mutating func rearranged(_ text: [UInt8]) -> [UInt8] {
    var words = Self.words(of: text)
    if words.isEmpty { return text }
    let place = number(0...(words.count - 1))
    // A dictionary entry has four words in JSON, and more in XML.
    let end = min(place + one(of: [1, 1, 4, 7, 8]), words.count)
    switch number(0...6) {
    case 0: words.removeSubrange(place..<end)
    case 1: words.insert(contentsOf: words[place..<end], at: end)
    case 2: words.insert(contentsOf: words[place..<end], at: number(0...words.count))
    case 3: words.swapAt(place, number(0...(words.count - 1)))
    case 4: words[place] = one(of: words)
    case 5: words[place] = one(of: Self.words)
    default:
      let (opening, closing) = one(of: [("[", "]"), ("<array>", "</array>"), ("{\"a\":", "}")])
      let depth = one(of: [1, 3, 511, 600])
      let nested = (0..<depth).map { _ in Array(opening.utf8) } + words[place..<end]
      words.replaceSubrange(
        place..<end, with: nested + (0..<depth).map { _ in Array(closing.utf8) })
    }
    return words.flatMap(\.self)
  }

  /// Returns quoted texts, tags, names and numbers, and single characters.
  private static func words(of text: [UInt8]) -> [[UInt8]] {
    var words: [[UInt8]] = []
    var rest = text[...]
    while let first = rest.first {
      let length: Int
      switch first {
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        var isEscaped = false
        let end = rest.dropFirst().firstIndex { byte in
          defer { isEscaped = byte == UInt8(ascii: "\\") && !isEscaped }
          return byte == first && !isEscaped
        }
        length = (end ?? rest.endIndex - 1) - rest.startIndex + 1
      case UInt8(ascii: "<"):
        let end = rest.firstIndex(of: UInt8(ascii: ">"))
        length = (end ?? rest.endIndex - 1) - rest.startIndex + 1
      default:
        length = max(1, rest.prefix(while: partsOfWords.contains).count)
      }
      words.append(Array(rest.prefix(length)))
      rest = rest.dropFirst(length)
    }
    return words
  }

  private static let partsOfWords = Set(0x80...0xFF).union(
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz+-.".utf8)
}
