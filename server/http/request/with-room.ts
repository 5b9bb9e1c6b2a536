/** Reads a body within its caller's room for bodies. */
import type { BodyRoom, BodyRooms } from '#relay/contract/body-rooms'

/** Does the work with a room, which is released when it ends. `caller`: its fair queue. */
export async function withRoom<Value>(
  rooms: BodyRooms,
  caller: string,
  work: (room: BodyRoom) => Promise<Value>,
  isSpooled = false,
): Promise<Value> {
  const room = rooms.open(caller, isSpooled)
  try {
    return await work(room)
  } finally {
    room.release()
  }
}
