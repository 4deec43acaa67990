import CLibrary
import FoundationEssentials
import SecretStorage
import StorageInternals

extension Job {
  /// See ``Mode/environment``.
  func readEnvironment() throws {
    let prefix = try parameter(0)
    let replaced = try parameter(1)
    unsafe setenv(replaced, "replaced by setenv", 1)
    printLine("before: \(try findings(prefix))")
    let store = EnvironmentSecretStore(prefix: prefix, removingVariables: true)
    let token = PasswordItem<String>(.generic(service: "github", account: "token"), in: store)
    printLine("read: \(try token.load() ?? "-")")
    printLine("items: \(try store.items(matching: .all).count)")
    printLine("again: \(try EnvironmentSecretStore(prefix: prefix).items(matching: .all).count)")
    printLine("after: \(try findings(prefix))")
    var words = unsafe [strdup("env"), nil]
    unsafe execve("/usr/bin/env", &words, environ)
    throw SystemError(call: .open, path: "/usr/bin/env", code: errno)
  }

  /// Returns where a secret of the variables, which are canaries, can be found.
  private func findings(_ prefix: String) throws -> String {
    // The kernel shows the memory of this process as it is now.
    let live = try FileSystem().open("/proc/self/environ", O_RDONLY).read(from: 0, count: 65_536)
    let found = [
      ("proc", String(decoding: live, as: UTF8.self).contains("canary")),
      ("names", String(decoding: live, as: UTF8.self).contains(prefix)),
      ("getenv", unsafe getenv("\(prefix)GITHUB__TOKEN") != nil),
      ("Foundation", ProcessInfo.processInfo.environment.keys.contains { $0.hasPrefix(prefix) }),
      ("HOME", unsafe getenv("HOME") != nil),
    ]
    return found.filter(\.1).map(\.0).joined(separator: " ")
  }
}
