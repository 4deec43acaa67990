package import Testing

/// Runs the body of an exit test, and records an error that it throws as an issue.
///
/// An error that ends the test's process would be shown as a signal alone: the output of that
/// process is discarded. Its issues reach the process of the tests.
package func recordingErrors(
  sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
) {
  do { try body() } catch { Issue.record(error, sourceLocation: sourceLocation) }
}

/// Returns what the process of an exit test wrote to standard error.
package func message(of result: ExitTest.Result?) -> String {
  String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
}
