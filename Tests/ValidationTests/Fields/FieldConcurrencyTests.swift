import Concurrency
import Dispatch
import Testing
import TestSupport
import Validation

struct FieldConcurrencyTests {
  @Test func reportIsNeverOlderThanValueSetByThread() throws {
    let field = ValidatedField("", Validator<String>.echo)
    try onThreads(4) { thread in
      for number in 0..<500 {
        let value = "\(thread):\(number)"
        field.value = value
        let echo = try #require(field.report.echo)
        if echo.hasPrefix("\(thread):") && echo != value {
          Issue.record("\(echo) after \(value) was set")
        }
      }
    }
    #expect(field.report.echo == field.value)
  }

  @Test func crossFieldCheckReadsBothNewestValues() {
    let password = ValidatedField("", Validator<String>.echo)
    let repeated = ValidatedField("", Validator<String>.echo)
    repeated.require(.equal(to: password))
    password.require(.equal(to: repeated))
    for round in 0..<500 {
      DispatchQueue.concurrentPerform(iterations: 2) { index in
        if index == 0 {
          password.value = "\(round % 3)"
        } else {
          repeated.value = "\(round % 2)"
        }
      }
      let areEqual = round % 3 == round % 2
      #expect(repeated.isValid == areEqual)
      #expect(password.isValid == areEqual)
    }
  }

  @Test func everyConsumerReceivesReportsInOrder() async throws {
    let field = ValidatedField("0", Validator<String>.echo)
    let consumers = (0..<3).map { _ in ReportsSeen(field.reports) }
    for number in 1...1000 {
      field.value = "\(number)"
      if number % 10 == 0 { await Task.yield() }
    }
    try await suspend { consumers.allSatisfy { $0.all.last?.echo == "1000" } }
    for consumer in consumers {
      let numbers = consumer.all.compactMap(\.echo).compactMap(Int.init)
      #expect(numbers == Set(numbers).sorted())
    }
  }

  @Test func concurrentUseIsSafe() async throws {
    let (clock, service) = (ManualClock(), SlowService())
    let fields = (0..<3).map { _ in
      ValidatedField(
        "", .echo && .count(1...3), asynchronously: [service.check(debounce: .zero)], clock: clock)
    }
    let form = ValidationForm(fields)
    fields[0].require(.equal(to: fields[1]))
    fields[1].require(.notContaining(fields[0]))
    let seen = ReportsSeen(form.reports)
    let isOver = Lock(false)
    let answering = Task {
      while !isOver.withLock({ $0 }) || service.openCount > 0 {
        service.answerOldest(with: .success(.rejected()))
        await Task.yield()
      }
    }
    try await withThrowingTaskGroup { group in
      for task in 0..<6 {
        group.addTask {
          for number in 0..<200 {
            let field = fields[(task + number) % 3]
            switch (task + number) % 7 {
            case 0: field.reset()
            case 1: field.touch()
            case 2: _ = form.report
            case 3: withExtendedLifetime(field.observe {}) { field.value = "b" }
            case 4: field.value += "a"
            case 5: field.require(.equal(to: fields[number % 3]))
            default: field.value = ["", "a", "b", "aa"][number % 4]
            }
            if number % 20 == 0 { await Task.yield() }
          }
        }
      }
      try await group.waitForAll()
    }
    for field in fields { field.value = "b" }
    let report = await form.validate()
    isOver.withLock { $0 = true }
    await answering.value
    #expect(report.fields.map(\.report.echo) == ["b", "b", "b"])
    try await suspend { seen.all.last == form.report && clock.sleeperCount == 0 }
  }
}
