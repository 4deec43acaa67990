import FoundationEssentials

extension Command {
  static let tour = Command(
    name: "tour",
    summary: "Walks through what Locket does, on a vault that is removed at the end.",
    run: { _ in
      let stage = try Stage()
      defer { stage.clear() }
      for (number, chapter) in Chapter.all.enumerated() {
        try Output.line("\(number == 0 ? "" : "\n")\(number + 1). \(chapter.title)\n")
        try chapter.tell(stage)
      }
      try Output.line(
        """

        That was the tour; `Example --help` lists what this program does for real. Its own secrets are
        where `Example doctor` says.
        """)
      return .done
    })
}

/// A part of the tour.
struct Chapter: Sendable {
  let title: String
  let tell: @Sendable (Stage) throws -> Void

  static let all: [Chapter] = [
    .serialized, .password, .refreshing, .matching, .processes, .locking, .copying, .damage,
    .rollback,
  ]
}
