/**
 * Hashes passwords at a hundredth of their cost, for tests with another subject: at the real one (`server/runtime/secrets.ts`) a hash
 * takes 45 ms of CPU time, and every start of a program with an administrator makes two.
 */

const { hash } = Bun.password

/** From now on this process makes cheap hashes, of the same format. The returned function undoes that. */
export function makePasswordsCheap(): () => void {
  Bun.password.hash = (password) => hash(password, { algorithm: 'argon2id', memoryCost: 64, timeCost: 1 })
  return () => {
    Bun.password.hash = hash
  }
}
