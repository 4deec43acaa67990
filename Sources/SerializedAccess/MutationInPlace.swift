/// What the end of a change in place needs to know from its beginning.
///
/// An object, because an accessor that keeps a value of unknown size across its `yield` allocates
/// memory even when there is none.
final class MutationInPlace<Value> {
  let before: Snapshot<Value>?
  let turn: QueueTurn?

  init(before: Snapshot<Value>?, turn: QueueTurn? = nil) {
    self.before = before
    self.turn = turn
  }
}
