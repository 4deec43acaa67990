import CLibrary
import Concurrency
package import StorageInternals

/// A failure of each call of one kind, which lasts until it ends.
package final class Outage: Sendable {
  private let isOn: Lock<Bool>
  package let fileSystem: FileSystem

  /// Fails only the calls on paths with a suffix, if one is given.
  package init(
    of call: FileSystem.Call, on suffix: String = "", code: Int32 = EIO, isOn: Bool = true
  ) {
    let isOn = Lock(isOn)
    self.isOn = isOn
    fileSystem = FileSystem { made, path in
      made == call && path.hasSuffix(suffix) && isOn.withLock { $0 } ? code : nil
    }
  }

  package func begin() { isOn.withLock { $0 = true } }

  package func end() { isOn.withLock { $0 = false } }
}
