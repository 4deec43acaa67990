import Foundation
import Glibc
import SecretService
import SecretStorage

/// The desktop's keyring, over a real daemon, beside other programs that use the same one.
let keyringRows: [Row] = {
  if !KeyringBus.missing.isEmpty {
    let missing = KeyringBus.missing.joined(separator: " and ")
    let line = "The keyring rows are skipped: \(missing) cannot be found.\n"
    FileHandle.standardError.write(Data(line.utf8))
    return []
  }
  return [
    Row(
      name: "keyring get", subject: KeyringWorkloads.get, baseline: KeyringWorkloads.lookUp,
      target: .ratio(atMost: 1.0 / 20)),
    Row(
      name: "keyring get", subject: KeyringWorkloads.get,
      baseline: KeyringWorkloads.python("get", "Python keyring, running"),
      target: .ratio(atMost: 1.0 / 20)),
    Row(
      name: "keyring set", subject: KeyringWorkloads.set, baseline: KeyringWorkloads.storeByTool,
      target: .ratio(atMost: 1.0 / 3)),
    Row(
      name: "keyring set", subject: KeyringWorkloads.set,
      baseline: KeyringWorkloads.python("set", "Python keyring, running"),
      target: .ratio(atMost: 1.0 / 3)),
    Row(
      name: "keyring get in a fresh process", subject: KeyringWorkloads.getInProcess,
      baseline: KeyringWorkloads.lookUp, target: .ratio(atMost: 1.0 / 3)),
    Row(
      name: "keyring get in a fresh process", subject: KeyringWorkloads.getInProcess,
      baseline: KeyringWorkloads.pythonInProcess, target: .ratio(atMost: 1.0 / 3)),
    Row(
      name: "keyring list of 1,000 items", subject: KeyringWorkloads.list,
      baseline: KeyringWorkloads.python("list", "secretstorage, running")),
    Row(
      name: "keyring list of 1,000 items in a fresh connection",
      subject: KeyringWorkloads.listAnew, baseline: KeyringWorkloads.searchByTool),
  ]
}()

private enum KeyringWorkloads {
  private static let account = "5"
  private static let store = KeyringBus.small.store()

  private static func password(_ account: String) -> PasswordItem<String> {
    PasswordItem(.generic(service: "benchmark", account: account), in: store)
  }

  static let get = Workload(name: "get") { iterations in
    let password = password(account)
    for _ in 0..<iterations {
      guard password.value == BenchmarkVault.value else { fatalError("A secret was not found.") }
    }
  }

  static let set = Workload(name: "set") { iterations in
    let password = password("set")
    for index in 0..<iterations {
      password.value = "\(index)"
      if let error = password.error { fatalError("\(error)") }
    }
  }

  private static let largeStore = KeyringBus.large.store()

  static let list = Workload(name: "list") { iterations in
    for _ in 0..<iterations { list(largeStore) }
  }

  static let listAnew = Workload(name: "list") { iterations in
    for _ in 0..<iterations { list(KeyringBus.large.store()) }
  }

  private static func list(_ store: SecretServiceStore) {
    attempt {
      let items = try store.items(matching: .matching(.generic(service: "benchmark")))
      if items.count < KeyringBus.large.count { fatalError("Items were not found.") }
    }
  }

  static let getInProcess = {
    let path = attempt {
      try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    }
    let other = URL(filePath: path).deletingLastPathComponent().appending(path: "KeyringGet").path
    return program("get in a fresh process", [other, account])
  }()

  static let lookUp = program(
    "secret-tool lookup",
    ["/usr/bin/secret-tool", "lookup", "service", "benchmark", "username", account])

  static let storeByTool = program(
    "secret-tool store",
    [
      "/bin/sh", "-c",
      "echo x | exec secret-tool store --label=x service benchmark-tool username set",
    ])

  static let searchByTool = program(
    "secret-tool search",
    ["/usr/bin/secret-tool", "search", "--all", "service", "benchmark"], isLarge: true)

  static let pythonInProcess = program(
    "Python keyring",
    [
      KeyringBus.python, "-c",
      """
      from keyring.backends import SecretService
      assert SecretService.Keyring().get_password('benchmark', '\(account)')
      """,
    ])

  private static func program(
    _ name: String, _ words: [String], isLarge: Bool = false
  ) -> Workload {
    Workload(name: name) { iterations in
      (isLarge ? KeyringBus.large : .small).use()
      for _ in 0..<iterations {
        if run(words) != 0 { fatalError("\(name) failed.") }
      }
    }
  }

  static func python(_ word: String, _ name: String) -> Workload {
    Workload(name: name) { iterations in
      (word == "list" ? PythonKeyring.large : .small).run(word, iterations)
    }
  }
}

/// An interpreter that does the work of a line of its standard input.
private final class PythonKeyring: Sendable {
  static let small = PythonKeyring(on: .small)
  static let large = PythonKeyring(on: .large)

  private let input = Pipe()
  private let output = Pipe()

  private init(on bus: KeyringBus) {
    bus.use()
    let interpreter = Process()
    interpreter.executableURL = URL(filePath: KeyringBus.python)
    interpreter.arguments = [
      "-c",
      """
      import sys, secretstorage
      from keyring.backends import SecretService
      keyring = SecretService.Keyring()
      bus = secretstorage.dbus_init()
      collection = secretstorage.get_default_collection(bus)
      for line in sys.stdin:
        word, count = line.split()
        for index in range(int(count)):
          if word == 'get': assert keyring.get_password('benchmark', '5')
          if word == 'set': keyring.set_password('benchmark-python', 'set', str(index))
          if word == 'list':
            found = collection.search_items({'service': 'benchmark'})
            assert len([item.get_attributes() for item in found]) >= 1000
        print('done', flush=True)
      """,
    ]
    interpreter.standardInput = input
    interpreter.standardOutput = output
    attempt { try interpreter.run() }
  }

  func run(_ word: String, _ count: Int) {
    attempt { try input.fileHandleForWriting.write(contentsOf: Data("\(word) \(count)\n".utf8)) }
    let answer = attempt { try output.fileHandleForReading.read(upToCount: 5) }
    if answer != Data("done\n".utf8) { fatalError("Python's keyring failed.") }
  }
}
