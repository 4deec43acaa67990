extension FormContent.Field {
  /// What of the text is to be seen in some columns, and in which of them the cursor is.
  func shown(columns: Int, appearance: Appearance) -> (text: String, cursor: Int) {
    // Of what is hidden, nothing but the number of its characters is looked at.
    let characters: [String] =
      isHidden
      ? Array(repeating: appearance.dot, count: text.text.count)
      : text.text.map { character in
        // What takes no column could not be told from nothing.
        character.columns == 0 ? "\u{FFFD}" : String(character)
      }
    let cursor = min(text.cursor, characters.count)
    // The last column is for the cursor behind the text.
    var start = cursor
    var before = 0
    while start > 0, before + characters[start - 1].columns < columns {
      start -= 1
      before += characters[start].columns
    }
    var shown = ""
    for character in characters[start...] {
      if shown.columns + character.columns > columns { break }
      shown += character
    }
    return (shown, before)
  }
}
