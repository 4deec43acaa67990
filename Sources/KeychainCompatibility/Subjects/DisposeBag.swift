/// What is called with the old and the new value of a subject.
@available(*, deprecated, message: "Write the closure's type, as Serialized.observe(_:) does.")
public typealias Subscription<Value> = (_ oldValue: Value, _ newValue: Value) -> Void

/// An observation that goes on for as long as somebody holds it.
@available(
  *, deprecated, message: "Keep what Serialized.observe(_:) of SerializedAccess returns instead."
)
public protocol Disposable {
  /// Lets a bag hold the observation, which ends with the bag.
  func dispose(in bag: DisposeBag)
}

@available(
  *, deprecated, message: "Keep what Serialized.observe(_:) of SerializedAccess returns instead."
)
extension Disposable {
  /// Lets a bag hold the observation, which ends with the bag.
  public func dispose(in bag: DisposeBag) {
    bag.add(self)
  }
}

/// Holds observations, and ends them when it is released.
///
/// It belongs to one thread or actor, as the subjects do.
@available(
  *, deprecated, message: "Keep an array of what Serialized.observe(_:) returns instead."
)
public final class DisposeBag {
  private var disposables: [any Disposable] = []

  /// Makes an empty bag.
  public init() {}

  func add(_ disposable: any Disposable) {
    disposables.append(disposable)
  }
}

@available(*, unavailable)
extension DisposeBag: Sendable {}
