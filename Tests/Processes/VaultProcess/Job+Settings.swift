import CLibrary
import Foundation
import KeyValueStorage
import KeychainCompatibility

// Settings of Foundation, and their migration.
extension Job {
  /// `settings property-list end key…`: migrates lists of numbers of 1.x up to progress `end`.
  func migrateSettings() throws {
    let store = KeyValueStore(json: URL(filePath: try parameter(0)))
    var migration = DefaultsMigration(into: store)
    for key in parameters.dropFirst(3) { migration.convert(key, as: [Int].self) }
    let end = try number(2)
    try migration.run(propertyList: URL(filePath: try parameter(1)), removingSource: true) {
      progress in
      printLine("+\tprogress\t\(progress.completed) of \(progress.total)")
      while progress.completed == end { pause() }
      return .proceed
    }
  }

  /// `suite settings`: imports the suite, and prints the number of keys.
  func importSuite() throws {
    let store = KeyValueStore(json: URL(filePath: try parameter(1)))
    let report = try DefaultsMigration(into: store).run(userDefaults: try parameter(0))
    printLine("\(report.imported.count)")
  }

  /// `suite`: sets every kind of value that apps with and without FTPropertyWrappers 1.x can set.
  func setUserDefaults() throws {
    guard let defaults = UserDefaults(suiteName: try parameter(0)) else { throw Misuse() }
    defaults.set(true, forKey: "flag")
    defaults.set(250, forKey: "integer")
    defaults.set(Int.min, forKey: "smallest")
    defaults.set(NSNumber(value: UInt64.max), forKey: "largest")
    defaults.set(0.5, forKey: "double")
    defaults.set(Double.infinity, forKey: "infinity")
    defaults.set(Float(1.5), forKey: "float")
    defaults.set("Eliška <&>\n", forKey: "text")
    defaults.set("", forKey: "empty")
    defaults.set(Date(timeIntervalSince1970: 1_600_000_000), forKey: "date")
    defaults.set(Data([1, 2, 255]), forKey: "data")
    defaults.set([1, "a", ["flag": true]] as [Any], forKey: "array")
    defaults.set(
      ["date": Date(timeIntervalSince1970: 0), "numbers": [1.5]] as [String: Any],
      forKey: "dictionary")
    defaults.set(URL(filePath: "/a%20b/c d"), forKey: "file")
    // The form in which `set(_: URL?)` archives it elsewhere, and formerly here.
    let address = try NSKeyedArchiver.archivedData(
      withRootObject: NSURL(string: "https://example.com/a?b") as Any, requiringSecureCoding: true)
    defaults.set(address, forKey: "address")
    defaults.set(try PropertyListEncoder().encode([1, 2]), forKey: "coded")
    defaults.set(
      try PropertyListEncoder().encode(["born": Date(timeIntervalSince1970: 0.5)]),
      forKey: "coded dictionary")
    defaults.set(
      try PropertyListEncoder().encode(URL(string: "https://example.com/b")), forKey: "coded URL")
    guard defaults.synchronize() else { throw Misuse() }
  }
}
