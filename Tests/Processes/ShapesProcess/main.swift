import Dispatch
import KeyValueStorage
import SerializedAccess

// Top-level code, in a module whose default isolation is the main actor.

let visitors = Serialized(0)
let volume = StoredValue(wrappedValue: 0.8, "volume")

DispatchQueue.concurrentPerform(iterations: 8) { _ in visitors.value += 1 }
volume.value = 0.5

print(visitors.value, volume.value)

final class PlayerModel {
  @StoredValue("volume", in: .standard) var volume = 0.8
  nonisolated static let isMuted = StoredValue(wrappedValue: false, "isMuted")
}

nonisolated final class Player: Sendable {
  let volume = StoredValue(wrappedValue: 0.8, "volume")
  func mute() { volume.value = 0 }
}

let player = Player()
DispatchQueue.concurrentPerform(iterations: 2) { _ in
  player.mute()
  PlayerModel.isMuted.value = true
}
print(PlayerModel().volume, PlayerModel.isMuted.value)
