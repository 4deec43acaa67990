/// The permission to keep a value that was loaded with a context.
///
/// It ends when the context ends or the store is locked.
final class LoadingPermit: Sendable {
  private let end: ContextEnd
  private let store: (any PromptlyObservedStore)?
  private let lockCount: UInt64?

  init(until end: ContextEnd, _ store: any SecretStore) {
    self.end = end
    self.store = store as? any PromptlyObservedStore
    lockCount = self.store?.lockCount
  }

  var isOver: Bool { end.isOver || store?.lockCount != lockCount }
}
