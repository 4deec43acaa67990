import StorageInternals
import TestSupport
import Testing

@testable import KeyValueStorage

struct LinkedFileTests {
  private let file: TestFile
  init() throws { file = try TestFile() }

  private func run(_ script: String) throws { try Shell.run(script, in: file.directory) }

  private func text(of name: String) throws -> String {
    String(decoding: try content(of: "\(file.directory)/\(name)"), as: UTF8.self)
  }

  @Test func editsOfALinkAndOfItsTargetNotifyObservers() throws {
    try run(
      """
      mkdir dotfiles config; echo '{"number": 1}' >dotfiles/settings.json
      ln -s ../dotfiles/settings.json config/settings.json
      """)
    let number = file.number(in: file.open(at: "\(file.directory)/config/settings.json"))
    let heard = HeardValues(of: number)
    try run("echo '{\"number\": 2}' >dotfiles/settings.json")
    heard.wait(for: 2)
    try run("sed -i s/2/3/ dotfiles/settings.json")
    heard.wait(for: 3)
    try run(
      """
      echo '{\"number\": 4}' >other.json
      ln -s ../other.json config/new
      mv config/new config/settings.json
      """)
    heard.wait(for: 4)
    number.wrappedValue = 5
    #expect(try text(of: "other.json") == "{\"number\": 5}\n")
    try run("echo '{\"number\": 6}' >dotfiles/settings.json")
    try run("sed -i s/5/7/ other.json")
    heard.wait(for: 7)
    #expect(heard.all == [2, 3, 4, 5, 7])
  }

  /// As in a container, whose directory does not have the name under which the file is edited.
  @Test func editUnderAnotherNameNotifiesObservers() throws {
    try run("mkdir there; echo '{\"number\": 1}' >settings.json; ln settings.json there/other")
    let heard = HeardValues(of: file.number())
    for value in 2...3 {
      try run("echo '{\"number\": \(value)}' >there/other")
      heard.wait(for: value)
    }
    #expect(heard.all == [2, 3])
  }

  /// Updates a ConfigMap volume, whose link `..data` leads to a directory that is replaced.
  private func updateVolume(_ value: Int) throws {
    try run(
      """
      old=$(readlink ..data || true)
      mkdir ..version\(value)
      echo '{"number": \(value), "other": \(value)}' >..version\(value)/settings.json
      ln -s ..version\(value) ..data_tmp
      mv -T ..data_tmp ..data
      ln -sf ..data/settings.json settings.json
      test -z "$old" || rm -r "$old"
      """)
  }

  /// The directory of the mistake is removed by the next update.
  @Test func mistakeInAVolumeHasThePathOfTheLink() throws {
    try updateVolume(1)
    let store = file.openPatiently()
    let heard = HeardValues(of: file.number(in: store))
    try updateVolume(2)
    heard.wait(for: 2)
    let other = StoredValue(wrappedValue: "", "other", in: store)
    #expect(other.error?.description.hasPrefix("\(file.path), line 1, column 24: ") == true)
    try run("echo '{' >..data/settings.json")
    let error = try #require(throws: KeyValueStoreError.self) { try store.load() }
    #expect(error.description.hasPrefix("\(file.path) cannot be read at line 2"))
  }

  @Test func updateOfAVolumeNotifiesObservers() throws {
    try updateVolume(1)
    let store = file.openPatiently()
    let other = StoredValue(wrappedValue: 0, "other", in: store)
    let heard = HeardValues(of: file.number(in: store))
    let last = Campaign.size(sample: 5, full: 100)
    for value in 2...last {
      try updateVolume(value)
      heard.wait(for: value)
      #expect(other.wrappedValue == value)
    }
    #expect(heard.all == Array(2...last))
  }
}
