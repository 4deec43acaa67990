import TestSupport
import Testing

struct CounterHistoryTests {
  @Test(arguments: [
    ["=\t0\t3\t1", "=\t1\t2\t2"], ["=\t0\t1\t1", "r\t0\t3\t2", "=\t2\t3\t2", "r\t4\t5\t2"],
  ])
  func linearizableHistoryHasNoContradiction(_ journal: [String]) throws {
    var history = CounterHistory()
    try history.add(journal)
    #expect(history.contradictions(atEnd: 2) == [])
    #expect(history.acknowledgedCount == 2)
  }

  @Test(arguments: [
    (["=\t0\t1\t1", "=\t0\t1\t1"], 2, "1 was given 2 times"),
    (["=\t0\t1\t1", "=\t2\t3\t2"], 1, "2 numbers were given, 0 may have been, and it is at 1"),
    (["=\t0\t1\t1"], 2, "1 numbers were given, 0 may have been, and it is at 2"),
    (["=\t0\t1\t1", "r\t2\t3\t0"], 1, "0 came after 1"),
    (["=\t0\t1\t2", "=\t2\t3\t1"], 2, "1 came after 2"),
    (["r\t0\t1\t1", "r\t2\t3\t0", "=\t0\t4\t1"], 1, "0 came after 1"),
    (["r\t0\t1\t1", "=\t2\t3\t1"], 1, "1 was seen before it was given"),
  ])
  func contradictionIsFound(_ journal: [String], _ final: Int, _ expected: String) throws {
    var history = CounterHistory()
    try history.add(journal)
    #expect(history.contradictions(atEnd: final).contains(expected))
  }

  @Test func incrementWithoutAnAnswerMayHaveHappened() throws {
    var history = CounterHistory()
    try history.add(["=\t0\t1\t1", "+"])
    #expect(history.contradictions(atEnd: 1) == [])
    #expect(history.contradictions(atEnd: 2) == [])
    #expect(history.contradictions(atEnd: 3) != [])
    #expect(throws: CounterHistory.Malformed.self) { try history.add(["="]) }
  }
}
