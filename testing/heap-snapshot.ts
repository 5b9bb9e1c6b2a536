/** The contents of a page's heap, from a snapshot taken by its browser. */

/** A session of the browser's own protocol, as Playwright gives it. */
interface Session {
  on(name: 'HeapProfiler.addHeapSnapshotChunk', listener: (payload: { chunk: string }) => void): unknown
  off(name: 'HeapProfiler.addHeapSnapshotChunk', listener: (payload: { chunk: string }) => void): unknown
  send(method: 'HeapProfiler.takeHeapSnapshot', params: { reportProgress: boolean }): Promise<unknown>
}

interface Snapshot {
  snapshot: { meta: { node_fields: string[]; node_types: [string[]] } }
  nodes: number[]
}

/** Count and bytes of live objects, by V8's kinds: object, closure, array, string, code (compiled by the browser), native. */
export async function heapByKind(session: Session): Promise<Map<string, { count: number; bytes: number }>> {
  const chunks: string[] = []
  const take = ({ chunk }: { chunk: string }) => void chunks.push(chunk)
  session.on('HeapProfiler.addHeapSnapshotChunk', take)
  await session.send('HeapProfiler.takeHeapSnapshot', { reportProgress: false })
  session.off('HeapProfiler.addHeapSnapshotChunk', take)
  const { snapshot, nodes } = JSON.parse(chunks.join('')) as Snapshot
  const { node_fields: fields, node_types: types } = snapshot.meta
  const [kindAt, bytesAt] = [fields.indexOf('type'), fields.indexOf('self_size')]
  const found = new Map<string, { count: number; bytes: number }>()
  for (let row = 0; row < nodes.length; row += fields.length) {
    const kind = types[0][nodes[row + kindAt] ?? -1] ?? ''
    const sum = found.get(kind) ?? { count: 0, bytes: 0 }
    sum.count += 1
    sum.bytes += nodes[row + bytesAt] ?? 0
    found.set(kind, sum)
  }
  return found
}
