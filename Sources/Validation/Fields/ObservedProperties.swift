import Observation

/// The properties of a field, for Swift's observation.
///
/// Apart from the field, because the key paths of a generic class are made anew at each use, which
/// takes longer than all else that a keystroke does.
final class ObservedProperties: Observable, Sendable {
  private let registrar = ObservationRegistrar()

  private var value: Void { () }
  private var report: Void { () }

  func valueIsRead() { registrar.access(self, keyPath: \.value) }
  func valueWillChange() { registrar.willSet(self, keyPath: \.value) }
  func valueDidChange() { registrar.didSet(self, keyPath: \.value) }

  func reportIsRead() { registrar.access(self, keyPath: \.report) }
  func reportWillChange() { registrar.willSet(self, keyPath: \.report) }
  func reportDidChange() { registrar.didSet(self, keyPath: \.report) }
}
