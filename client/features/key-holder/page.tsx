/** `/key`: facts of an API key for its holder, without an account. */
import { createEffect, createSignal, For, onCleanup, Show } from 'solid-js'
import { noLongerNeeded } from '#client/api/abort-reason.ts'
import type { ApiError } from '#client/api/http.ts'
import { readKeyFacts, readKeyUsage } from '#client/api/key-facts.ts'
import { explain } from '#client/console/explain.ts'
import { asApiError } from '#client/console/load.ts'
import { samplesFor } from '#client/console/snippets.ts'
import { announceError } from '#client/ui/announcer.tsx'
import { Brand } from '#client/ui/brand.tsx'
import { Button } from '#client/ui/button.tsx'
import { CodeSample } from '#client/ui/console/copy.tsx'
import { Facts } from '#client/ui/console/facts.tsx'
import { TextField } from '#client/ui/console/form.tsx'
import { Card } from '#client/ui/console/page.tsx'
import { formatWhen } from '#client/ui/console/time.ts'
import { formatCount, formatMoney } from '#client/ui/format.ts'
import type { KeyFacts, KeyUsage } from '#shared/console/key'
import { t } from './messages.ts'
import { Spent } from './spent.tsx'

const windows = ['daily', 'weekly', 'monthly', 'total'] as const
const rates = ['rpm', 'tpm', 'concurrency'] as const

/** The page. */
export function KeyHolderPage() {
  const [key, setKey] = createSignal('')
  const [facts, setFacts] = createSignal<KeyFacts & { usage: KeyUsage }>()
  const [busy, setBusy] = createSignal(false)
  const [error, setError] = createSignal<ApiError>()
  const wrong = () => {
    const failure = error()
    return failure && wordsFor(failure)
  }
  let aborter = new AbortController()
  onCleanup(() => aborter.abort(noLongerNeeded))
  createEffect(() => {
    document.title = `${t('title')} · Parley`
  })
  /** Looks up the key in the field; a pending answer for an earlier one is ignored. */
  const ask = async (event: SubmitEvent) => {
    event.preventDefault()
    aborter.abort(noLongerNeeded)
    aborter = new AbortController()
    const { signal } = aborter
    const secret = key().trim()
    setFacts(undefined)
    setError(undefined)
    setBusy(true)
    try {
      const found = { ...(await readKeyFacts(secret, signal)), usage: await readKeyUsage(secret, signal) }
      if (!signal.aborted) setFacts(found)
    } catch (thrown) {
      if (signal.aborted) return
      setError(asApiError(thrown))
      announceError(wordsFor(asApiError(thrown)))
    } finally {
      if (!signal.aborted) setBusy(false)
    }
  }
  return (
    <main class="min-h-dvh bg-surface">
      <header class="flex h-[60px] items-center gap-4 border-b border-line bg-bg px-4 min-[760px]:px-7">
        <a href="/" aria-label="Parley">
          <Brand />
        </a>
        <span class="flex-1" />
        <a class="btn ghost max-[400px]:hidden!" href="/docs">
          {t('docs')}
        </a>
        <a class="btn" href="/">
          {t('signIn')}
        </a>
      </header>
      <div class="stack mx-auto max-w-[860px] px-4 py-8">
        <div>
          <h1 class="text-[20px]/[28px] tracking-[-0.015em]">{t('title')}</h1>
          <p class="mt-1 max-w-[64ch] text-ink-2">{t('intro')}</p>
        </div>
        <form class="grid max-w-[560px] gap-3" onSubmit={(event) => void ask(event)}>
          <TextField label={t('key')} hint={t('keyHint')} type="password" mono required value={key()} error={wrong()} onChange={setKey} />
          <div>
            <Button type="submit" look="primary" busy={busy()}>
              {t('show')}
            </Button>
          </div>
        </form>
        <Show when={facts()}>{(known) => <Known facts={known()} />}</Show>
      </div>
    </main>
  )
}

const wordsFor = (error: ApiError) => (error.code === 'invalid_api_key' ? t('wrong') : explain(error))

function Known(props: { facts: KeyFacts & { usage: KeyUsage } }) {
  const left = () =>
    windows.flatMap((name) => {
      const amount = props.facts.budgetLeft?.[name]
      return amount === undefined ? [] : [t(`left_${name}`, { amount: formatMoney(amount) })]
    })
  const limits = () =>
    rates.flatMap((name) => {
      const count = props.facts.limits?.[name]
      return count === undefined ? [] : [t(name, { count: formatCount(count) })]
    })
  return (
    <div class="stack" role="status">
      <Card title={props.facts.name}>
        <Facts
          facts={[
            [t('group'), props.facts.group],
            [t('spent'), <b title={`$${props.facts.spent}`}>{formatMoney(props.facts.spent)}</b>],
            [t('left'), left().join(', ') || t('noBudget')],
            [t('limits'), limits().join(', ') || t('noLimits')],
            [t('expires'), props.facts.expiresAt === null ? t('never') : formatWhen(props.facts.expiresAt)],
          ]}
        />
      </Card>
      <Spent usage={props.facts.usage} />
      <Card title={t('models')} tools={<span class="bdg num">{t('modelsCount', { count: props.facts.models.length })}</span>}>
        <ul class="flex flex-wrap gap-x-4 gap-y-1 font-mono text-[13px]">
          <For each={props.facts.models} fallback={<li class="font-sans text-ink-2">{t('noModels')}</li>}>
            {(model) => <li class="break-all">{model}</li>}
          </For>
        </ul>
      </Card>
      <Show when={props.facts.models[0]}>
        {(model) => (
          <Card title={t('use')}>
            <CodeSample label={t('use')} samples={samplesFor(location.origin, model())} />
          </Card>
        )}
      </Show>
    </div>
  )
}
