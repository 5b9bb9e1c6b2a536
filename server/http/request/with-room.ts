/** Reads a body within the room that its caller has for bodies. */
import type { BodyRoom, BodyRooms } from '#relay/contract/body-rooms'

/** Does the work with a room, which is given back when it ends. `caller`: whose turn it is. */
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
