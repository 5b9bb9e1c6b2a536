import { createMemo, createSignal, onCleanup, Show, Suspense } from 'solid-js'
import { samplesFor } from '#client/console/snippets.ts'
import { Button } from '#client/ui/button.tsx'
import { CodeSample, Secret } from '#client/ui/console/copy.tsx'
import { formatDuration } from '#client/ui/console/time.ts'
import { Icon } from '#client/ui/icon.tsx'
import { later } from '#client/ui/later.ts'
import type { Answering } from './answering.ts'
import { t } from './messages.ts'
import { StepFrame } from './step-frame.tsx'

const Confirm = later(async () => (await import('#client/ui/dialog.tsx')).Confirm)
/** Samples that run in a shell contain the key itself. The others read it from the environment. */
const inShell = new Set(['curl', 'claude-code'])
const order = ['curl', 'claude-code', 'codex', 'opencode', 'python', 'typescript']

/** The third step: the first API key, shown once, with ready-to-use samples. Leaving without copying it asks first. */
export function FirstKey(props: { name: string; secret: string; answering: Answering; onBack?: (() => void) | undefined; onDone(): void }) {
  const [taken, setTaken] = createSignal(false)
  const [asking, setAsking] = createSignal(false)
  const samples = createMemo(() => {
    const all = samplesFor(location.origin, props.answering.model)
    const known = order.flatMap((id) => all.find((sample) => sample.id === id) ?? [])
    return known.map((sample) =>
      inShell.has(sample.id) ? { ...sample, text: sample.text.replaceAll('$PARLEY_KEY', props.secret) } : sample,
    )
  })
  // After a reload the key could not be shown again.
  const stay = (event: BeforeUnloadEvent) => !taken() && event.preventDefault()
  addEventListener('beforeunload', stay)
  onCleanup(() => removeEventListener('beforeunload', stay))
  const next = () => (taken() ? props.onDone() : setAsking(true))
  return (
    <StepFrame
      title={t('keyTitle')}
      intro={t('keyIntro')}
      step={3}
      buttons={
        <>
          <Button look="primary" size="lg" onClick={next}>
            {t('continue')}
          </Button>
          <Show when={props.onBack}>
            {(back) => (
              <Button look="ghost" size="lg" onClick={() => back()()}>
                {t('back')}
              </Button>
            )}
          </Show>
        </>
      }
    >
      <div class="grid grid-cols-1 gap-5">
        <Show when={props.answering.ms}>
          {(ms) => (
            <p class="notice ok flex items-center gap-2" role="status">
              <Icon name="check" />
              {t('answers', { model: props.answering.model, time: formatDuration(ms()) })}
            </p>
          )}
        </Show>
        <section class="once mb-0!" aria-label={t('key', { name: props.name })}>
          <Icon name="key" />
          <div class="grid min-w-0 gap-2">
            <h2>{t('key', { name: props.name })}</h2>
            <Secret
              label={t('key', { name: props.name })}
              text={props.secret}
              file="parley.env"
              fileText={`PARLEY_KEY=${props.secret}\n`}
              onTaken={() => setTaken(true)}
            />
          </div>
        </section>
        <div class="grid grid-cols-1 gap-2" onCopy={() => setTaken(true)}>
          <h2 class="text-[13px]/[18px] font-medium">{t('tryIt')}</h2>
          <CodeSample label={t('tryIt')} samples={samples()} />
          <span class="hint">{t('inEnvironment')}</span>
        </div>
      </div>
      <Suspense>
        <Show when={asking()}>
          <Confirm
            title={t('leaveTitle')}
            intro={t('leaveIntro')}
            safe={t('leaveStay')}
            go={t('leaveGo')}
            onClose={() => setAsking(false)}
            onGo={() => props.onDone()}
          />
        </Show>
      </Suspense>
    </StepFrame>
  )
}
