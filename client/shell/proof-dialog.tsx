/** Asks who is there before a call that the server repeats only for a fresh proof: `setProver` of `client/api/http.ts`. */
import { createSignal, onCleanup, onMount, Show, Suspense } from 'solid-js'
import { setProver } from '#client/api/http.ts'
import { later } from '#client/ui/later.ts'

const ProofForm = later(async () => (await import('./proof-form.tsx')).ProofForm)

/** Nothing, until a call needs a proof. */
export function ProofDialog() {
  const [asking, setAsking] = createSignal<(proved: boolean) => void>()
  const end = (proved: boolean) => {
    asking()?.(proved)
    setAsking(undefined)
  }
  onMount(() => setProver(() => new Promise<boolean>((resolve) => setAsking(() => resolve))))
  onCleanup(() => {
    setProver(undefined)
    end(false)
  })
  return (
    <Suspense>
      <Show when={asking()}>
        <ProofForm onEnd={end} />
      </Show>
    </Suspense>
  )
}
