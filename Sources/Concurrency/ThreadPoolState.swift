struct ThreadPoolState: Sendable {
  typealias Job = ThreadPool.Job

  let concurrency: Int
  let limit: Int
  let patience: Duration

  /// The queues whose next job is due, in the order in which the jobs start.
  private var ready = FIFO<SerialQueue>()
  /// The due jobs of each queue that is ready or runs a job.
  private var due: [ObjectIdentifier: FIFO<Job>] = [:]
  /// The jobs that are not due yet, sorted by start.
  private var delayed: [Job] = []
  var lastNumber = 0
  /// The threads that run a job, and the start of each job.
  private(set) var running: [ThreadIdentity: SuspendingClock.Instant] = [:]
  /// The number of threads that do not run a job.
  var idleCount = 0
  /// The time by which a thread without a job will check the state; nil if none will.
  var nextCheck: SuspendingClock.Instant?

  init(concurrency: Int, limit: Int, patience: Duration) {
    (self.concurrency, self.limit, self.patience) = (concurrency, limit, patience)
  }

  var isRunningOnCurrentThread: Bool { running[.current] != nil }

  /// Returns whether a thread may soon be free.
  func expectsEndOfJob(at now: SuspendingClock.Instant) -> Bool {
    isRunningOnCurrentThread || !counted(at: now).isEmpty
  }

  /// Returns the times until which running jobs count; `concurrency` of them prevent other starts.
  private func counted(at now: SuspendingClock.Instant) -> [SuspendingClock.Instant] {
    running.values.map { $0 + patience }.filter { $0 > now }
  }

  /// Returns the earliest time at which a pending job may start; nil if there is none.
  func nextStart(at now: SuspendingClock.Instant) -> SuspendingClock.Instant? {
    let next = delayed.first?.id.start
    if ready.isEmpty { return next }
    let counted = counted(at: now)
    let start = counted.count < concurrency ? now : counted.min() ?? now
    return min(start, next ?? start)
  }

  mutating func add(_ job: Job, at now: SuspendingClock.Instant) {
    makeDueJobsReady(at: now)
    if job.id.start <= now { return makeReady(job) }
    delayed.insert(job, at: delayedIndex(of: job.id))
  }

  /// Starts the next job on the calling thread, unless enough jobs are running.
  mutating func start(at now: SuspendingClock.Instant) -> Job? {
    makeDueJobsReady(at: now)
    guard counted(at: now).count < concurrency, let queue = ready.removeFirst(),
      let job = due[ObjectIdentifier(queue)]?.removeFirst()
    else { return nil }
    running[.current] = now
    return job
  }

  /// Ends the job of a queue on the calling thread.
  mutating func finish(_ queue: SerialQueue) {
    running[.current] = nil
    idleCount += 1
    if due[ObjectIdentifier(queue)]?.isEmpty ?? true {
      due[ObjectIdentifier(queue)] = nil
    } else {
      ready.append(queue)
    }
  }

  mutating func remove(_ id: Job.ID, of queue: SerialQueue) -> Job? {
    let index = delayedIndex(of: id)
    if index < delayed.count, delayed[index].id == id { return delayed.remove(at: index) }
    let key = ObjectIdentifier(queue)
    let removed = due[key]?.remove { $0.id == id }
    // A queue that runs a job is not ready, and keeps its list.
    if due[key]?.isEmpty ?? false, ready.remove(where: { $0 === queue }) != nil { due[key] = nil }
    return removed
  }

  private mutating func makeDueJobsReady(at now: SuspendingClock.Instant) {
    let count = delayed.prefix { $0.id.start <= now }.count
    for index in 0..<count { makeReady(delayed[index]) }
    delayed.removeFirst(count)
  }

  private mutating func makeReady(_ job: Job) {
    let key = ObjectIdentifier(job.queue)
    if due[key] == nil { ready.append(job.queue) }
    due[key, default: FIFO()].append(job)
  }

  /// Returns the index of the first delayed job that does not precede a job; searches from the end.
  private func delayedIndex(of id: Job.ID) -> Int {
    (delayed.lastIndex { ($0.id.start, $0.id.number) < (id.start, id.number) } ?? -1) + 1
  }
}
