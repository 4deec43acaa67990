import FoundationEssentials
import StorageInternals
import TestSupport
import Testing

@testable import KeyValueStorage

/// A file with symbolic links in its path.
struct LinkedFileTests {
  /// A directory with a file in one subdirectory, and a link to the file in another.
  private func dotfile(_ target: String) throws -> (directory: TestFile, store: () -> KeyValueStore)
  {
    let directory = try TestFile()
    try Shell.run(
      "mkdir dotfiles config; echo '{\"number\": 1}' >dotfiles/settings.json\n"
        + "ln -s '\(target)' config/settings.json", in: directory.directory)
    return (
      directory,
      {
        KeyValueStore(
          FileBackend(path: "\(directory.directory)/config/settings.json", format: .json))
      }
    )
  }

  @Test func settingAValueKeepsTheLinkAndWritesItsTarget() throws {
    for isAbsolute in [false, true] {
      let (directory, store) = try dotfile("../dotfiles/settings.json")
      let target =
        isAbsolute ? "\(directory.directory)/dotfiles/settings.json" : "../dotfiles/settings.json"
      if isAbsolute {
        try Shell.run("ln -sf '\(target)' config/settings.json", in: directory.directory)
      }
      let number = StoredValue(wrappedValue: 0, "number", in: store())
      number.wrappedValue = 2
      #expect(number.error == nil)
      let fileSystem = FileSystem()
      #expect(
        try fileSystem.linkTarget(of: "\(directory.directory)/config/settings.json") == target)
      let text = try String(
        contentsOfFile: "\(directory.directory)/dotfiles/settings.json", encoding: .utf8)
      #expect(text == "{\n  \"number\": 2\n}\n")
      // Lock and temporary files are next to the link's target.
      #expect(
        try fileSystem.entries(of: "\(directory.directory)/config") == ["settings.json"])
      #expect(try store().value(of: "number") == 2)
    }
  }

  @Test func editsOfTheTargetAndOfTheLinkAreHeard() throws {
    let (directory, store) = try dotfile("../dotfiles/settings.json")
    let number = StoredValue(wrappedValue: 0, "number", in: store())
    let heard = Heard<Int>()
    let observation = number.observe { heard.hear($1) }
    try Shell.run("echo '{\"number\": 2}' >dotfiles/settings.json", in: directory.directory)
    heard.wait(for: 2)
    try Shell.run("sed -i s/2/3/ dotfiles/settings.json", in: directory.directory)
    heard.wait(for: 3)
    try Shell.run(
      """
      echo '{\"number\": 4}' >other.json
      ln -s ../other.json config/new
      mv config/new config/settings.json
      """, in: directory.directory)
    heard.wait(for: 4)
    number.wrappedValue = 5
    #expect(
      try String(contentsOfFile: "\(directory.directory)/other.json", encoding: .utf8)
        == "{\n  \"number\": 5\n}\n")
    try Shell.run("echo '{\"number\": 6}' >dotfiles/settings.json", in: directory.directory)
    try Shell.run("sed -i s/5/7/ other.json", in: directory.directory)
    heard.wait(for: 7)
    #expect(heard.all == [2, 3, 4, 5, 7])
    observation.cancel()
  }

  /// Updates a ConfigMap volume, whose link `..data` leads to a directory that is replaced.
  private func updateVolume(_ file: TestFile, _ value: Int) throws {
    try Shell.run(
      """
      old=$(readlink ..data || true)
      mkdir ..version\(value)
      echo '{"number": \(value), "other": \(value)}' >..version\(value)/settings.json
      ln -s ..version\(value) ..data_tmp
      mv -T ..data_tmp ..data
      ln -sf ..data/settings.json settings.json
      test -z "$old" || rm -r "$old"
      """, in: file.directory)
  }

  @Test func swappedDirectoryOfKubernetesIsHeard() throws {
    let file = try TestFile()
    try updateVolume(file, 1)
    let store = file.openPatiently()
    let number = StoredValue(wrappedValue: 0, "number", in: store)
    let other = StoredValue(wrappedValue: 0, "other", in: store)
    let heard = Heard<Int>()
    let observation = number.observe { heard.hear($1) }
    let last = Campaign.size(sample: 5, full: 100)
    for value in 2...last {
      try updateVolume(file, value)
      heard.wait(for: value)
      #expect(other.wrappedValue == value)
    }
    #expect(heard.all == Array(2...last))
    observation.cancel()
  }

  @Test func unsavedChangesAreMergedIntoTheDirectoryThatWasSwappedIn() throws {
    for value in 2...Campaign.size(sample: 3, full: 50) {
      let file = try TestFile()
      try updateVolume(file, 1)
      let store = file.openPatiently(.coalesced(within: .seconds(100_000)))
      let number = StoredValue(wrappedValue: 0, "number", in: store)
      let mine = StoredValue(wrappedValue: 0, "mine", in: store)
      let heard = Heard<Int>()
      let observation = number.observe { heard.hear($1) }
      mine.wrappedValue = value
      try updateVolume(file, value)
      heard.wait(for: value)
      #expect(mine.wrappedValue == value)
      try store.synchronize()
      let text = try String(
        contentsOfFile: "\(file.directory)/..version\(value)/settings.json", encoding: .utf8)
      #expect(text.contains("\"mine\": \(value)"))
      #expect(try FileSystem().linkTarget(of: file.path) == "..data/settings.json")
      #expect(heard.all == [value])
      observation.cancel()
    }
  }
}
