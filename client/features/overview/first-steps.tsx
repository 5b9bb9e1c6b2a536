import { For, Show } from 'solid-js'
import { Card } from '#client/ui/console/page.tsx'
import { Icon } from '#client/ui/icon.tsx'
import type { Overview } from '#shared/console/overview'
import { t } from './messages.ts'

/** The checklist of the first day, until it is done. */
export function FirstSteps(props: { first: Overview['first'] }) {
  const steps = () => {
    const { channel, price, key, request } = props.first
    return [
      ...(channel === null ? [] : [{ title: t('firstChannel'), why: t('firstChannelWhy'), href: '/admin/channels/new', done: channel }]),
      ...(price === null ? [] : [{ title: t('firstPrice'), why: t('firstPriceWhy'), href: '/admin/prices', done: price }]),
      { title: t('firstKey'), why: t('firstKeyWhy'), href: '/keys?create=app', done: key },
      { title: t('firstCall'), why: t('firstCallWhy'), href: '/', done: request },
    ]
  }
  // With traffic and channels no checklist is needed, whatever else is open.
  const needed = () => steps().some((step) => !step.done) && !(props.first.request && props.first.channel !== false)
  return (
    <Show when={needed()}>
      <Card title={t('first')} bare>
        <ol>
          <For each={steps()}>
            {(step, at) => (
              <li class="list-line">
                <span class="monogram" aria-hidden="true">
                  <Show when={step.done} fallback={at() + 1}>
                    <Icon name="check" small />
                  </Show>
                </span>
                <span class="min-w-0">
                  <b>{step.title}</b>
                  <small>{step.why}</small>
                </span>
                <Show when={!step.done} fallback={<span class="bdg ok">{t('done')}</span>}>
                  <a class="btn" href={step.href}>
                    {t('go')}
                  </a>
                </Show>
              </li>
            )}
          </For>
        </ol>
      </Card>
    </Show>
  )
}
