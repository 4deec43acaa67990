/// A user namespace in which the kernel gives no inotify instance; other processes keep theirs.
package enum WithoutInotify {
  /// Whether the machine lets this user make such a namespace.
  package static let isPossible: Bool = {
    do {
      let words = words(["/bin/sh", "-c", "exit 0"])
      try ChildProcess(words[0], Array(words.dropFirst())).wait()
      return true
    } catch {
      return false
    }
  }()

  /// The words of a command that runs another one there.
  package static func words(_ command: [String]) -> [String] {
    let script = #"echo 0 >/proc/sys/user/max_inotify_instances && exec "$0" "$@""#
    return ["/usr/bin/unshare", "--user", "--map-root-user", "/bin/sh", "-c", script] + command
  }
}
