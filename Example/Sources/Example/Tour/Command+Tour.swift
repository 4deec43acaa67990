#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

extension Command {
  static let tour = Command(
    name: "tour",
    summary: "Walks through what Locket does, on files that are removed at the end.",
    run: { _ in
      // A reader that has seen enough, such as `head`, must not keep the tour from clearing up.
      signal(SIGPIPE, SIG_IGN)
      let stage = try Stage()
      do {
        try await tell(on: stage)
      } catch {
        try stage.clear()
        throw error
      }
      try stage.clear()
      try Output.line(
        """

        That was the tour; `Example --help` lists what this program does for real: `Example signup`
        asks for a user name and a password and checks them at each key. Its own secrets and settings
        are where `Example doctor` says.
        """)
      return .done
    })

  private static func tell(on stage: Stage) async throws {
    for (number, chapter) in Chapter.all.enumerated() {
      try Output.line("\(number == 0 ? "" : "\n")\(number + 1). \(chapter.title)\n")
      try await chapter.tell(stage)
    }
  }
}
