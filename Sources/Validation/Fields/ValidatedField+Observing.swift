import SerializedAccess

extension ValidatedField {
  /// The report as it is now, and then after each change.
  public var reports: ValidationReports<ValidationReport> {
    ValidationReports(
      current: { [weak self] in self?.report },
      observe: { [weak self] in self?.observe(changed: $0, ended: $1) })
  }

  /// Calls a closure after each change of the report, until the result is released.
  ///
  /// It runs on whichever thread made the change, possibly on two at once, and reads the report itself:
  /// so that none is older than one before. It may change fields.
  public func observe(_ observer: @escaping @Sendable () -> Void) -> ValidationObservation {
    observe(changed: observer, ended: {})
  }

  private func observe(
    changed: @escaping @Sendable () -> Void, ended: @escaping @Sendable () -> Void
  ) -> ValidationObservation {
    let number = state.access { $0.observers.add(changed: changed, ended: ended) }
    return ValidationObservation { [weak self] in
      // What the observer holds is released without the lock.
      _ = self?.state.access { $0.observers.remove(number) }
    }
  }
}
