/// All of a field that changes.
struct FieldState<Value: Sendable>: Sendable {
  /// What somebody looks at in order to report on it.
  struct Snapshot {
    let revision: UInt64
    let value: Value
    let isTouched: Bool
    let report: ValidationReport
    let crossFieldChecks: [CrossFieldCheck<Value>]
    let runs: [AsynchronousRun<Value>]
  }

  /// The value that was reported on last, and the report.
  var value: Value
  var report: ValidationReport
  /// The value that was set last, which somebody may still be looking at.
  var newestValue: Value
  var isTouched = false

  /// How often something changed that the report depends on.
  var revision: UInt64 = 0
  /// The revision that the report is of.
  var reportedRevision: UInt64 = 0

  /// Whether it must be decided anew what the asynchronous checks do.
  var asynchronousChecksAreDue = false
  var runs: [AsynchronousRun<Value>]
  /// Where the asynchronous checks begin in the report.
  let firstRun: Int

  var crossFieldChecks: [CrossFieldCheck<Value>] = []
  /// The fields with checks that read this one.
  var dependents: [WeakDependent] = []
  var observers = ChangeObservers()

  var snapshot: Snapshot {
    Snapshot(
      revision: revision, value: newestValue, isTouched: isTouched, report: report,
      crossFieldChecks: crossFieldChecks, runs: runs)
  }
}

/// A field that must look at its value anew when another field changes.
protocol DependentField: AnyObject, Sendable {
  func dependencyDidChange()
}

/// A field that does not live on because another one has it in a list.
struct WeakDependent: Sendable {
  weak let field: (any DependentField)?
}
