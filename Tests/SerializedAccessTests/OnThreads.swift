import Dispatch

/// Runs `body` on so many threads at the same time, and waits for all of them.
///
/// Not `concurrentPerform`, which takes no more threads than the machine has cores.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
  let group = DispatchGroup()
  for index in 0..<count {
    DispatchQueue(label: "thread \(index)").async(group: group) { body(index) }
  }
  group.wait()
}
