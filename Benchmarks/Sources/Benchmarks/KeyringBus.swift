import Foundation
import Glibc
import SecretService
import SecretStorage

/// A session bus with a real gnome-keyring-daemon, which ends with this process.
final class KeyringBus: Sendable {
  /// The names of missing programs and modules of Python; empty if the rows can be measured.
  static let missing: [String] = {
    var missing = ["dbus-daemon", "gnome-keyring-daemon", "secret-tool"].filter {
      access("/usr/bin/\($0)", X_OK) != 0
    }
    if run([python, "-c", "import keyring, secretstorage"]) != 0 {
      missing.append("Python's keyring")
    }
    return missing
  }()

  static let python = "/usr/bin/python3"
  /// A few items, since the daemon writes all of them at each change.
  static let small = KeyringBus(items: 10)
  static let large = KeyringBus(items: 1000)

  let count: Int
  private let input: Pipe
  private let environment: [String: String]

  private init(items count: Int) {
    self.count = count
    let directory = FileManager.default.temporaryDirectory.appending(path: "locket-\(UUID())").path
    let script = """
      cd "$1"; printf secret >password
      cat >bus.conf <<X
      <busconfig><type>session</type><listen>unix:path=$1/run/bus</listen><auth>EXTERNAL</auth>
      <policy context="default"><allow send_destination="*" eavesdrop="true"/>
      <allow eavesdrop="true"/><allow own="*"/></policy>
      <limit name="max_replies_per_connection">50000</limit></busconfig>
      X
      dbus-daemon --nofork --nopidfile --config-file=bus.conf & bus=$!
      until [ -S run/bus ]; do sleep 0.01; done
      gnome-keyring-daemon --foreground --unlock --components=secrets \
        --control-directory="$1/run/keyring" <password & daemon=$!
      cat; kill $daemon $bus; wait; rm -rf "$1"
      """
    attempt {
      try FileManager.default.createDirectory(
        atPath: directory + "/run/keyring", withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
    }
    environment = [
      "HOME": directory, "XDG_RUNTIME_DIR": directory + "/run",
      "XDG_DATA_HOME": directory + "/data",
      "DBUS_SESSION_BUS_ADDRESS": "unix:path=\(directory)/run/bus",
    ]
    for name in ["DISPLAY", "WAYLAND_DISPLAY", "GNOME_KEYRING_CONTROL"] { unsetenv(name) }
    let shell = Process()
    shell.executableURL = URL(filePath: "/bin/sh")
    shell.arguments = ["-c", script, "sh", directory]
    // The end of this process closes the pipe, which ends `cat`.
    input = Pipe()
    use()
    shell.standardInput = input
    shell.standardOutput = FileHandle.nullDevice
    shell.standardError = FileHandle.nullDevice
    attempt { try shell.run() }
    let store = store()
    let end = ContinuousClock.now + .seconds(30)
    while true {
      do {
        if try !store.isLocked { break }
      } catch {
        if ContinuousClock.now > end { fatalError("The daemon does not answer: \(error)") }
      }
      usleep(10_000)
    }
    for index in 0..<count {
      attempt {
        _ = try store.add(
          Secret(BenchmarkVault.value.utf8),
          identity: .generic(service: "benchmark", account: "\(index)"),
          attributes: ItemAttributes())
      }
    }
  }

  /// Makes this bus that of new stores and processes.
  func use() {
    for (name, value) in environment { setenv(name, value, 1) }
  }

  /// Returns a store with a connection of its own.
  func store() -> SecretServiceStore {
    use()
    return SecretServiceStore()
  }
}

/// Runs a program to its end without input and output, and returns its status.
@discardableResult
func run(_ words: [String]) -> Int32 {
  var actions = posix_spawn_file_actions_t()
  posix_spawn_file_actions_init(&actions)
  defer { posix_spawn_file_actions_destroy(&actions) }
  for (stream, mode) in [
    (STDIN_FILENO, O_RDONLY), (STDOUT_FILENO, O_WRONLY), (STDERR_FILENO, O_WRONLY),
  ] {
    posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", mode, 0)
  }
  var arguments = words.map { strdup($0) } + [nil]
  defer { for argument in arguments { free(argument) } }
  var process: pid_t = 0
  guard posix_spawn(&process, words[0], &actions, nil, &arguments, environ) == 0 else { return -1 }
  var status: Int32 = 0
  while waitpid(process, &status, 0) == -1, errno == EINTR {}
  return status
}
