/// A line of text with the keys of an editor.
///
/// The cursor is between whole characters, and whole characters are deleted.
struct TextField {
  /// The most code points of a text.
  static let limit = 1024

  enum Outcome {
    case changed, moved
    /// The field has no room for it.
    case full
    /// The key is none of an editor's.
    case ignored
  }

  private(set) var text = ""
  /// How many code points are before the cursor.
  private var position = 0

  init() {
    // A text that grows would leave copies of its beginning, perhaps of a secret, in memory.
    text.reserveCapacity(4 * Self.limit)
  }

  /// Replaces the text, and puts the cursor at its end.
  mutating func set(_ text: String) {
    self.text.replaceSubrange(self.text.startIndex..., with: text)
    position = text.unicodeScalars.count
  }

  /// Applies a key.
  mutating func take(_ key: Key) -> Outcome {
    switch key {
    case .character(let scalar): insert(CollectionOfOne(scalar))
    case .paste(let text): insert(text.unicodeScalars)
    case .backspace: remove(from: boundary(before: position), to: position)
    case .delete: remove(from: position, to: boundary(after: position))
    case .deleteWord: remove(from: beginningOfWord, to: position)
    case .deleteToStart: remove(from: 0, to: position)
    case .deleteToEnd: remove(from: position, to: text.unicodeScalars.count)
    case .left: move(to: boundary(before: position))
    case .right: move(to: boundary(after: position))
    case .home: move(to: 0)
    case .end: move(to: text.unicodeScalars.count)
    default: .ignored
    }
  }

  /// How many characters are before the cursor.
  var cursor: Int { text[..<index(position)].count }

  private mutating func insert(_ scalars: some Collection<Unicode.Scalar>) -> Outcome {
    if scalars.isEmpty { return .moved }
    guard text.unicodeScalars.count + scalars.count <= Self.limit else { return .full }
    text.unicodeScalars.insert(contentsOf: scalars, at: index(position))
    position += scalars.count
    settle()
    return .changed
  }

  private mutating func remove(from start: Int, to end: Int) -> Outcome {
    if start == end { return .moved }
    text.unicodeScalars.removeSubrange(index(start)..<index(end))
    position = start
    settle()
    return .changed
  }

  private mutating func move(to place: Int) -> Outcome {
    position = place
    return .moved
  }

  /// Moves the cursor behind the character around it: code points on both sides may have joined.
  private mutating func settle() {
    if position > 0 { position = boundary(after: position - 1) }
  }

  private func index(_ place: Int) -> String.Index {
    text.unicodeScalars.index(text.startIndex, offsetBy: place)
  }

  /// The end of the last character that ends before a place.
  private func boundary(before place: Int) -> Int {
    boundaries.last { $0 < place } ?? 0
  }

  private func boundary(after place: Int) -> Int {
    boundaries.first { $0 > place } ?? text.unicodeScalars.count
  }

  /// The ends of the characters.
  private var boundaries: [Int] {
    var end = 0
    return text.map { character in
      end += character.unicodeScalars.count
      return end
    }
  }

  /// The start of the word before the cursor, with the blanks behind it.
  private var beginningOfWord: Int {
    let before = text[..<index(position)]
    let word = before.reversed().drop { $0.isWhitespace }.drop { !$0.isWhitespace }
    return word.reduce(0) { $0 + $1.unicodeScalars.count }
  }
}
