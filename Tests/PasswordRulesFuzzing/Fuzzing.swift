// Built by hand with libFuzzer, which calls it (see CONTRIBUTING.md), for no product and no test.

/// Parses bytes in both modes, and ends the process if a guarantee is broken.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let text = String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  _ = ReferenceFormat.canonical.text(for: text)
  _ = ReferenceFormat.minified.text(for: text)
  let reference = try? PasswordRuleSet(text, mode: .lenient)
  guard let reference else { fatalError("Reading as the reference parser does has no errors.") }
  check(reference, text)
  guard let strict = try? PasswordRuleSet.parse(text) else { return 0 }
  check(strict.rules, text)
  let isAsWritten = !text.lowercased().contains("digits")
  precondition(!isAsWritten || strict.rules == reference, "The modes differ.")
  return 0
}

private func check(_ rules: PasswordRuleSet, _ text: String) {
  for dialect in [PasswordRuleSet.Dialect.current, .compatible] {
    let printed = rules.descriptor(for: dialect)
    let again = try? PasswordRuleSet(printed)
    precondition(again?.descriptor(for: dialect) == printed, "It is not read back.")
    precondition(dialect == .compatible || again == rules, "It is read back as another.")
  }
  _ = rules.htmlAttribute
  let report = rules.check(text)
  precondition(!report.isSatisfied || report.shortestCompletion == 0, "Nothing is missing.")
}
