import Dispatch
import FoundationEssentials
import SecretStorage

extension Chapter {
  static let processes = Chapter(title: "A second process") { stage in
    let vault = stage.vault("shared")
    @GenericPassword(service: "token", refreshPolicy: .onChange, in: vault) var token: String?
    token = "written by the first process"
    try stage.show(#"token = "written by the first process""#)

    let changed = DispatchSemaphore(value: 0)
    let observation = vault.observeChanges { changed.signal() }
    defer { withExtendedLifetime(observation) {} }
    let heard = try OwnProcess.run([
      TourReader.name, "--vault", stage.file("shared").path, "--state", stage.stateDirectory().path,
    ])
    try stage.say("the second process reads its token, and writes another one:")
    try stage.show("try await $token.load()", heard)

    while token != TourReader.answer { changed.wait() }
    try stage.show("token   // refreshPolicy: .onChange noticed the other process's write", token)
  }
}

/// The second process of the tour, which reads the token and writes another.
enum TourReader {
  static let name = "tour-reader"
  static let options = ["vault", "state"]
  static let answer = "written by the second process"

  static func run(_ options: Options) async throws {
    @GenericPassword(service: "token", in: Daemon.vault(options)) var token: String?
    try Output.line(try await $token.load() ?? "")
    token = answer
    try await $token.save()
  }
}
