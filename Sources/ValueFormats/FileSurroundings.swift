/// The text of a file before its first entry and after its last entry, such as comments, and the
/// layout of new entries.
package struct FileSurroundings: Sendable, Hashable {
  package var header: [UInt8] = []
  package var footer: [UInt8] = []
  /// Whether the header ends in a comment that ends with its line.
  var hasOpenHeader = false
  /// The white space between the header and the footer if there are no entries.
  private var space: [UInt8] = []
  /// The white space before the key of a new entry.
  private(set) var indentation: [UInt8] = []
  private(set) var lineEnd: [UInt8] = []
  /// Whether there is a comma after the last entry.
  private(set) var hasTrailingComma = false

  package init() {}

  /// The longest indentation that new entries have like the others, in bytes.
  private static let indentationLimit = 16

  /// Describes the text of a file around its entries.
  ///
  /// New entries have the layout of the last one; `lead` is the text before its key, nil without
  /// entries. The first entry is on a separate line, indented like a comment there, or else by
  /// `unit`. `end` is the text that ends the entries.
  init(
    of file: [UInt8], around entries: Range<Int>, lead: ArraySlice<UInt8>?, hasComma: Bool = false,
    unit: String, end: String
  ) {
    header = Array(file[..<entries.lowerBound])
    footer = Array(file[entries.upperBound...])
    hasTrailingComma = hasComma
    let first = file.firstIndex(where: \.isLineEnd).map { file[$0...] }
    lineEnd = first.map { Array($0.prefix($0.starts(with: "\r\n".utf8) ? 2 : 1)) } ?? [10]
    indentation = lineEnd + unit.utf8
    let space = footer.prefix(while: \.isWhitespace)
    if lead == nil, footer[space.endIndex...].starts(with: end.utf8) {
      self.space = Array(space)
      footer = lineEnd + footer[space.endIndex...]
      return
    }
    // A comment may be before the key on its line, or end the line of the entry before.
    let lead = lead ?? space
    let last = lead[(lead.lastIndex { !$0.isWhitespace }.map { $0 + 1 } ?? lead.startIndex)...]
    let found = last.contains(where: \.isLineEnd) ? last : lead.prefix(while: \.isWhitespace)
    let line = found.lastIndex(where: \.isLineEnd).map { found[($0 + 1)...] }
    // Without a limit, a nested value could take far more memory than the file.
    if let line, line.count <= Self.indentationLimit {
      indentation = lineEnd + line
    } else if line == nil, !entries.isEmpty, found.count <= Self.indentationLimit {
      indentation = Array(found)
    }
  }

  /// The indentation of a line of a new entry; nil if the file has its entries on one line.
  var lineIndentation: ArraySlice<UInt8>? {
    indentation.starts(with: lineEnd) ? indentation.dropFirst(lineEnd.count) : nil
  }

  /// The surroundings for the first entry of a file: if the entries are on one line, there is as
  /// much white space before it as after the last one.
  package var ofFirstEntry: FileSurroundings {
    var result = self
    if lineIndentation == nil { result.indentation = Array(footer.prefix(while: \.isWhitespace)) }
    return result
  }

  /// Inserts comments of removed entries after the last entry.
  package mutating func insert(_ comments: [UInt8]) {
    let hasLineEnd = footer.prefix(while: \.isWhitespace).contains(where: \.isLineEnd)
    footer = comments + (hasLineEnd ? [] : lineEnd) + footer
  }

  /// The text around no entries; the space is only kept if there were none before.
  func withoutEntries(before end: String) -> [UInt8] {
    let rest = footer.drop(while: \.isWhitespace)
    let text = rest.starts(with: end.utf8) ? space + rest : footer
    return header + (hasOpenHeader && text.first?.isLineEnd != true ? lineEnd : []) + text
  }

  /// Returns the bytes of a file with the entries of all parts, in the order of their positions.
  ///
  /// Each entry but the last one gets a comma, if there are commas. A line ends before a text if the
  /// text before it `isOpen`, because it ends in a comment that ends with its line.
  func joined(
    _ parts: [ArraySlice<KeyValueEntry>], hasCommas: Bool, isOpen: (ArraySlice<UInt8>) -> Bool
  ) -> [UInt8] {
    let places = parts.placesInFile
    var count = header.count + footer.count + 2 * lineEnd.count
    for part in parts {
      for entry in part { count += entry.text.count + 1 + lineEnd.count }
    }
    return unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      // The capacity was computed above. Appending to an array takes ten times as long.
      func append(_ bytes: some Collection<UInt8>) {
        filled = unsafe buffer[filled...].initialize(fromContentsOf: bytes)
      }
      /// The text after the last value and its comma; nil after a header that is open.
      var rest: ArraySlice<UInt8>? = hasOpenHeader ? nil : []
      func endLine(before text: some Collection<UInt8>) {
        if rest?.isEmpty != true, text.first?.isLineEnd != true, rest.map(isOpen) ?? true {
          append(lineEnd)
        }
      }
      append(header)
      for (number, (part, index)) in places.enumerated() {
        let text = parts[part][index].text
        endLine(before: text)
        let needsComma = hasCommas && (number < places.count - 1 || hasTrailingComma)
        if parts[part][index].hasComma == needsComma {
          append(text)
        } else {
          let (start, end) = parts[part][index].textAroundComma
          append(start)
          if needsComma { append(",".utf8) }
          append(end)
        }
        if parts[part][index].hasRest {
          rest = parts[part][index].rest
        } else if rest?.isEmpty != true {
          rest = []
        }
      }
      endLine(before: footer)
      append(footer)
    }
  }
}

extension [ArraySlice<KeyValueEntry>] {
  /// The places of the entries in the parts, in the order of their positions in the file.
  package var placesInFile: [(part: Int, index: Int)] {
    var places: [(part: Int, index: Int)] = []
    places.reserveCapacity(reduce(0) { $0 + $1.count })
    var (last, highest, isAscending) = (0, 0, true)
    for part in indices {
      for index in self[part].indices {
        let position = self[part][index].position
        if position < last { isAscending = false }
        (last, highest) = (position, Swift.max(highest, position))
        places.append((part, index))
      }
    }
    if isAscending { return places }
    // The positions are numbers in a small range, so that counting them takes linear time.
    var next = [Int](repeating: 0, count: highest + 2)
    for (part, index) in places { next[self[part][index].position + 1] += 1 }
    for position in 1...highest { next[position] += next[position - 1] }
    var sorted = places
    for (part, index) in places {
      let position = self[part][index].position
      sorted[next[position]] = (part, index)
      next[position] += 1
    }
    return sorted
  }
}

extension UInt8 {
  var isLineEnd: Bool { self == UInt8(ascii: "\n") || self == UInt8(ascii: "\r") }
}

extension ArraySlice<UInt8> {
  /// The number of line ends, of which a carriage return and a line feed are one.
  var lineEndCount: Int {
    indices.count { index in
      self[index].isLineEnd && !self[index...].starts(with: "\r\n".utf8)
    }
  }
}
