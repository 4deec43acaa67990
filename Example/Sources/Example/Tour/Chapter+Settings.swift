import Dispatch
import FoundationEssentials
import KeyValueStorage

extension Chapter {
  static let settings = Chapter(title: "@StoredValue: settings in a file") { stage in
    // The tour shows the failures itself. A read in the background may end after the chapter.
    KeyValueStore.onFailure = { _ in }

    let file = stage.directory.appending(path: "settings.json")
    let store = KeyValueStore(json: file)
    @StoredValue("volume", in: store) var volume = 0.8
    @StoredValue("nickname", in: store) var nickname: String?
    try stage.show(#"@StoredValue("volume", in: store) var volume = 0.8"#, volume)
    volume -= 0.3
    nickname = "Nausicaä"
    try stage.show(#"volume -= 0.3; nickname = "Nausicaä"   // both are on disk"#)
    try stage.showFile("settings.json")

    let changed = DispatchSemaphore(value: 0)
    let report: @Sendable (Double, Double) -> Void = { old, new in
      do {
        try stage.show("$volume.observe(report)", "\(old) became \(new)" as Substring)
      } catch {
        // The output is closed, and the next line ends the tour.
      }
      changed.signal()
    }
    let observation = $volume.observe(report)
    let text = try String(contentsOf: file, encoding: .utf8)
    try stage.say("an editor changes the file:")
    try Data(text.replacing("0.5", with: "0.25").utf8).write(to: file)
    changed.wait()
    observation.cancel()
    try stage.show("volume", volume)

    try Data("{ \"volume\": 0.25,, }".utf8).write(to: file)
    try stage.say("a slip breaks the file; nothing is lost, and nothing is written over it:")
    try await stage.showFailure("try $volume.load()") { () throws in
      _ = try $volume.load()
    }
    try stage.show("volume", volume)
    if let place = try store.moveAsideUnreadableFile() {
      try stage.show("try store.moveAsideUnreadableFile()", stage.shortened(place))
    }
    try stage.show("volume   // the default, because the file is new", volume)
  }
}
