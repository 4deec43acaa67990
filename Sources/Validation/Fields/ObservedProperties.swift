import Observation

/// The properties of a field that the Observation framework tracks.
///
/// This class is not generic, because the key paths of a generic class are created at each use.
/// That would take longer than the rest of the work for a keystroke.
final class ObservedProperties: Observable, Sendable {
  private let registrar = ObservationRegistrar()

  private var value: Void { () }
  private var report: Void { () }

  func accessValue() { registrar.access(self, keyPath: \.value) }
  func valueWillChange() { registrar.willSet(self, keyPath: \.value) }
  func valueDidChange() { registrar.didSet(self, keyPath: \.value) }

  func accessReport() { registrar.access(self, keyPath: \.report) }
  func reportWillChange() { registrar.willSet(self, keyPath: \.report) }
  func reportDidChange() { registrar.didSet(self, keyPath: \.report) }
}
