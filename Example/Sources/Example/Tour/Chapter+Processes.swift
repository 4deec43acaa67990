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
      "tour-reader", "--vault", stage.file("shared").path, "--state", stage.stateDirectory().path,
    ])
    try stage.show("the second process reads its token", heard)

    let deadline = DispatchTime.now() + .seconds(10)
    while token != TourReader.answer {
      // The property may hear of the change a moment after this does.
      if DispatchTime.now() > deadline { throw Failure("The other process's write was not heard.") }
      _ = changed.wait(timeout: .now() + .milliseconds(20))
    }
    try stage.show("token   // refreshPolicy: .onChange heard what the second process wrote", token)
  }
}

/// The second process of the tour.
enum TourReader {
  static let answer = "written by the second process"
}

extension Command {
  static let tourReader = Command(
    name: "tour-reader",
    summary: "Reads the token that the tour wrote, and writes another.",
    options: Option.vaultPlace,
    isHidden: true
  ) { arguments in
    @GenericPassword(service: "token", in: try arguments.vault()) var token: String?
    guard let found = try await $token.load() else { return .absent }
    try Output.line(found)
    token = TourReader.answer
    try await $token.save()
    return .done
  }
}
