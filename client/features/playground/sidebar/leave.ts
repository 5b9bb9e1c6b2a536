import { deleteUserData, signOut } from '#client/api/account.ts'
import type { PageContext } from '#client/features/playground/state/page-context.ts'

/** Stops running replies and signs out; with `forget` all data of this user is removed from this browser first. */
export async function leave(page: PageContext, forget: boolean): Promise<void> {
  const { library, replies } = page.playground
  for (const id of replies.ids()) replies.stop(id)
  if (forget) {
    await library.removeAll()
    await deleteUserData(page.playground.user().id)
  }
  await signOut().catch(() => undefined)
  library.close()
  page.signIn()
}
