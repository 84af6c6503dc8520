import { Suspense } from 'preact/compat';
import { useEffect, useRef } from 'preact/hooks';
import { Link, Route, Router, Switch, useLocation } from 'wouter-preact';
import { answer, api } from './api/client.ts';
import { isEmbedded, session } from './api/session.ts';
import { BASE } from './mount.ts';
import { nextTheme, theme } from './theme.ts';
import { Away } from './ui/away.tsx';
import { Icon } from './ui/icon.tsx';
import { Keyboard } from './ui/keyboard.tsx';
import { Notices } from './ui/notices.tsx';
import { Empty, Page } from './ui/page.tsx';
import { LogIn } from './views/log-in.tsx';
import { VIEWS } from './views/index.ts';

/** The frame around the views: who is logged in, where one can go, and the view that the address names. */
export function Shell() {
  useEffect(() => void askWhoIsIn(), []);
  if (session.value.state === 'asking') return null;
  if (session.value.state === 'out') return <LogIn />;
  return (
    <Router base={BASE}>
      <a class="skip" href="#view">
        Skip to the content
      </a>
      <Navigation />
      <main id="view" tabIndex={-1}>
        <Away />
        <Suspense fallback={<p class="waiting">Loading …</p>}>
          <Switch>
            {VIEWS.map(({ path, pages, view: View }) =>
              [path, ...(pages ?? [])].map((route) => (
                <Route key={route} path={route}>
                  {(params) => <View params={params} />}
                </Route>
              )),
            )}
            <Route>
              <Page title="No such view">
                <Empty>
                  Nothing is at this address. <Link href="/">What needs you</Link>
                </Empty>
              </Page>
            </Route>
          </Switch>
        </Suspense>
      </main>
      <Notices />
      <Keyboard />
    </Router>
  );
}

function Navigation() {
  const [location] = useLocation();
  const views = useRef<HTMLElement>(null);
  // On a phone there are more of them than the window is wide.
  useEffect(() => {
    const here = views.current?.querySelector('[aria-current]');
    here?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [location]);
  return (
    <header class="bar">
      <div class="brand">
        <Icon name="hook" /> Hooks
      </div>
      <nav aria-label="Views" ref={views}>
        {VIEWS.map(({ path, title, icon }) => {
          const isHere = path === '/' ? location === '/' : location.startsWith(path);
          return (
            <Link key={path} href={path} aria-current={isHere ? 'page' : undefined}>
              <Icon name={icon} />
              <span>{title}</span>
            </Link>
          );
        })}
      </nav>
      <div class="bar-end">
        <button
          class="quiet"
          type="button"
          onClick={nextTheme}
          title="Light, dark, or as the system is"
        >
          <Icon
            name={theme.value === 'dark' ? 'moon' : theme.value === 'light' ? 'sun' : 'contrast'}
          />
          <span>Theme: {theme.value}</span>
        </button>
        <button class="quiet" type="button" onClick={() => void logOut()} title={who()}>
          <Icon name="out" />
          <span>Log out {session.value.state === 'in' && session.value.as.id}</span>
        </button>
      </div>
    </header>
  );
}

/** Whose token one is logged in with, and what its role is. */
function who(): string | undefined {
  const { value } = session;
  return value.state === 'in' ? `Logged in as ${value.as.id}, who may ${value.as.role}` : undefined;
}

async function askWhoIsIn(): Promise<void> {
  const asked = answer(api.GET('/ops/api/session'));
  const login = await asked.catch(() => undefined);
  const as = login?.as ?? null;
  isEmbedded.value = login?.isEmbedded === true;
  session.value = as === null ? { state: 'out' } : { state: 'in', as };
}

async function logOut(): Promise<void> {
  await answer(api.DELETE('/ops/api/session')).catch(() => {});
  session.value = { state: 'out' };
}
