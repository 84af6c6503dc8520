/**
 * Two hundred ordinary newsletters, invoices and notices, written the way the known frameworks write them (MJML,
 * Foundation, Mailchimp, Campaign Monitor, Stripe, GitHub, Outlook, shops, banks), each framework with twenty sorts of
 * colours, widths and extras.
 */

interface Look {
  readonly ink: string;
  readonly paper: string;
  readonly accent: string;
  readonly width: number;
  readonly font: string;
  /** 0 to 19. */
  readonly sort: number;
}

const INKS = ['#333333', '#000', 'rgb(34, 34, 34)', '#51545E', 'black', '#3d4852', '#444'];
const PAPERS = ['#ffffff', '#f4f4f4', '#F2F4F6', 'white', '#fafafa'];
const ACCENTS = ['#0867ec', '#22BC66', '#d9534f', '#7c3aed', 'rgb(0,102,204)', 'navy'];
const FONTS = [
  "'Open Sans', Helvetica, Arial, sans-serif",
  'Georgia, serif',
  '-apple-system, "Segoe UI", Roboto',
];

const END = '<p style="margin:0 0 16px">Kind regards,<br>The team</p>';
const FILLER = '&#847;&zwnj;&nbsp;&#8199;&shy;'.repeat(20);
const PIXEL =
  '<img src="https://t.example/o.gif" width="1" height="1" border="0" style="height:1px !important;width:1px !important;border-width:0 !important;margin:0;padding:0" alt="">';

const FRAMEWORKS: Readonly<Record<string, (look: Look) => string>> = {
  mjml: ({ ink, paper, accent, width, font, sort }) => `<!doctype html>
<html xmlns="http://www.w3.org/1999/xhtml" xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office"><head><title></title>
<!--[if !mso]><!--><meta http-equiv="X-UA-Compatible" content="IE=edge"><!--<![endif]-->
<style type="text/css">#outlook a { padding:0; } body { margin:0;padding:0;-webkit-text-size-adjust:100%;-ms-text-size-adjust:100%; }
table, td { border-collapse:collapse;mso-table-lspace:0pt;mso-table-rspace:0pt; } img { border:0;height:auto;line-height:100%; outline:none;text-decoration:none;-ms-interpolation-mode:bicubic; } p { display:block;margin:13px 0; }</style>
<!--[if mso]><noscript><xml><o:OfficeDocumentSettings><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml></noscript><![endif]-->
<!--[if !mso]><!--><link href="https://fonts.googleapis.com/css?family=Open+Sans:300,400" rel="stylesheet" type="text/css"><style type="text/css">@import url(https://fonts.googleapis.com/css?family=Open+Sans:300,400,500,700);</style><!--<![endif]-->
<style type="text/css">@media only screen and (min-width:480px) { .mj-column-per-50 { width:50% !important; max-width: 50%; } .mj-column-px-${width} { width:${width}px !important; } }</style>
<style media="screen and (min-width:480px)">.moz-text-html .mj-column-per-50 { width:50% !important; max-width: 50%; }</style>
<style type="text/css">@media only screen and (max-width:479px) { table.mj-full-width-mobile { width: 100% !important; } td.mj-full-width-mobile { width: auto !important; } .hide-on-phone{display:none !important} }</style></head>
<body style="word-spacing:normal;background-color:${paper};"><div style="display:none;font-size:1px;color:#ffffff;line-height:1px;max-height:0px;max-width:0px;opacity:0;overflow:hidden;">Your week in short ${FILLER}</div>
<div style="background-color:${paper};"><div style="background:#ffffff;background-color:#ffffff;margin:0px auto;max-width:${width}px;"><table align="center" border="0" cellpadding="0" cellspacing="0" role="presentation" style="background:#ffffff;background-color:#ffffff;width:100%;"><tbody><tr><td style="direction:ltr;font-size:0px;padding:20px 0;text-align:center;">
<div class="mj-column-per-50 mj-outlook-group-fix" style="font-size:0px;text-align:left;direction:ltr;display:inline-block;vertical-align:top;width:100%;"><table border="0" width="100%"><tbody><tr><td align="left" style="font-size:0px;padding:10px 25px;word-break:break-word;"><div style="font-family:${font};font-size:13px;line-height:1.5;text-align:left;color:${ink};">Hello Ann, here is the news of June.${END}</div></td></tr>
<tr><td align="center" vertical-align="middle" style="font-size:0px;padding:10px 25px;"><table style="border-collapse:separate;line-height:100%;"><tr><td align="center" bgcolor="${accent}" role="presentation" style="border:none;border-radius:3px;cursor:auto;mso-padding-alt:10px 25px;background:${accent};" valign="middle"><a href="https://a.example/" style="display:inline-block;background:${accent};color:#ffffff;font-family:${font};font-size:13px;font-weight:normal;line-height:120%;margin:0;text-decoration:none;text-transform:none;padding:10px 25px;mso-padding-alt:0px;border-radius:3px;" target="_blank">Read on</a></td></tr></table></td></tr>
<tr><td><p class="hide-on-phone" style="font-size:13px;color:${ink}">For large screens</p></td></tr></tbody></table></div></td></tr></tbody></table></div>${hero(sort, accent)}</div></body></html>`,

  foundation: ({
    ink,
    paper,
    accent,
    width,
  }) => `<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd"><html><head><style>
.wrapper { width: 100%; } #outlook a { padding: 0; } body { width: 100% !important; min-width: 100%; -webkit-text-size-adjust: 100%; margin: 0; padding: 0; -moz-box-sizing: border-box; box-sizing: border-box; }
.ExternalClass { width: 100%; } .ExternalClass, .ExternalClass p, .ExternalClass span, .ExternalClass td { line-height: 100%; }
table.body { background: ${paper}; height: 100%; width: 100%; } table.container { background: #fefefe; width: ${width}px; margin: 0 auto; text-align: inherit; }
body, table.body, h1, p, td, th, a { color: ${ink}; font-family: Helvetica, Arial, sans-serif; font-weight: normal; padding: 0; margin: 0; text-align: left; line-height: 1.3; }
a { color: ${accent}; text-decoration: none; } a:hover, a:active { color: #147dc2; } a:visited { color: ${accent}; } table.button table td { background: ${accent}; color: #fefefe; border: 2px solid ${accent}; }
table.button table td a { color: #fefefe; display: inline-block; padding: 8px 16px; } table.button:hover table tr td a, table.button table tr td a:visited { color: #fefefe; }
th.columns:last-child { padding-right: 16px } td:first-child { padding-left: 0 } span.preheader { display: none !important; visibility: hidden; mso-hide: all !important; font-size: 1px; color: ${paper}; line-height: 1px; max-height: 0px; max-width: 0px; opacity: 0; overflow: hidden; }
@media only screen { html { min-height: 100%; background: ${paper}; } } @media only screen and (max-width: ${width + 16}px) { .small-float-center { margin: 0 auto !important; float: none !important; } table.body .container { width: 95% !important; } table.body .show-for-large, .hide-for-large { display: none !important; width: 0; mso-hide: all; overflow: hidden; } }
</style></head><body><span class="preheader">In short</span><table class="body"><tr><td class="center" align="center" valign="top"><center><table class="container"><tr><th class="small-12 columns first last"><h1 style="font-size:34px">Hi, Susan</h1><p class="lead">Words about the product.</p>${END}<table class="button"><tr><td><table><tr><td><a href="https://a.example/">Shop now</a></td></tr></table></td></tr></table></th></tr></table></center></td></tr></table><div style="display:none; white-space:nowrap; font:15px courier; line-height:0;">&nbsp; &nbsp; &nbsp;</div></body></html>`,

  mailchimp: ({ ink, paper, accent, width, sort }) =>
    `<!doctype html><html><head><meta charset="UTF-8"><style type="text/css">p{margin:10px 0;padding:0;} table{border-collapse:collapse;} h1,h2{display:block;margin:0;padding:0;} img,a img{border:0;height:auto;outline:none;text-decoration:none;} body,#bodyTable,#bodyCell{height:100%;margin:0;padding:0;width:100%;} .mcnPreviewText{display:none !important;} #outlook a{padding:0;} img{-ms-interpolation-mode:bicubic;} .ReadMsgBody{width:100%;} p,a,li,td,blockquote{mso-line-height-rule:exactly;} a[href^=tel],a[href^=sms]{color:inherit;cursor:default;text-decoration:none;} a[x-apple-data-detectors]{color:inherit !important;text-decoration:none !important;font-size:inherit !important;} .templateContainer{max-width:${width}px !important;} .mcnTextContent{word-break:break-word;} body,#bodyTable{background-color:${paper};} #templateBody{background-color:#FFFFFF;background-image:none;background-repeat:no-repeat;background-position:center;background-size:cover;border-top:0;} #templateBody .mcnTextContent,#templateBody .mcnTextContent p{color:${ink};font-family:Helvetica;font-size:16px;line-height:150%;text-align:left;} #templateFooter{background-color:#333333;} #templateFooter .mcnTextContent p{color:#dddddd;font-size:12px;} #templateBody .mcnTextContent a{color:${accent};} @media only screen and (min-width:768px){.templateContainer{width:${width}px !important;}} @media only screen and (max-width: 480px){body,table,td,p,a,li,blockquote{-webkit-text-size-adjust:none !important;} .mcnImage{width:100% !important;} .mcnTextContent{padding-right:18px !important;padding-left:18px !important;}}</style></head><body><!--*|IF:MC_PREVIEW_TEXT|*--><span class="mcnPreviewText" style="display:none; font-size:0px; line-height:0px; max-height:0px; max-width:0px; opacity:0; overflow:hidden; visibility:hidden; mso-hide:all;">New things</span><center><table id="bodyTable"><tr><td id="bodyCell"><table class="templateContainer"><tr><td id="templateBody"><table class="mcnTextBlock" style="min-width:100%;"><tbody><tr><td class="mcnTextContent" style="padding:0 18px 9px;"><h1>The letter of June</h1><p>Something new, <a href="https://a.example/">see here</a>.</p>${END}</td></tr></tbody></table></td></tr><tr><td id="templateFooter"><div class="mcnTextContent"><p>Copyright, unsubscribe${sort % 2 === 0 ? ' here' : ''}</p></div></td></tr></table></td></tr></table></center>${PIXEL}</body></html>`,

  stripe: ({ ink, accent, width, font, sort }) =>
    `<!DOCTYPE html><html><head><meta name="color-scheme" content="light dark"><style>:root{color-scheme:light dark;supported-color-schemes:light dark} @media screen and (max-width: ${width}px){table.Container{width:100%!important;min-width:100%!important} td.Spacer{width:12px!important}} @media (prefers-color-scheme: dark){body,.dark{background:#000!important;color:#fff!important}} @media (-webkit-min-device-pixel-ratio: 1.25),(min-resolution:120dpi){a{background-size:contain}} body[override] span.st-font,*[x-apple-data-detectors]{color:inherit!important}</style></head><body class="dark" style="border:0;margin:0;padding:0;min-width:100%;background-color:#f6f9fc" bgcolor="#f6f9fc"><div style="display:none!important;max-height:0;max-width:0;overflow:hidden;color:#fff;font-size:1px;line-height:1px;visibility:hidden;opacity:0;mso-hide:all">Receipt #2031-${sort} ${FILLER}</div><table class="Container" width="${width}" bgcolor="#ffffff" style="border:0;border-collapse:collapse;margin:0 auto;background-color:#ffffff;min-width:${width}px"><tr><td style="border:0;margin:0;padding:0;font-size:1px;line-height:1px;max-height:1px" height="8">&nbsp;</td></tr><tr><td style="border:0;margin:0;padding:0;color:${ink};font-family:${font};font-size:16px;line-height:24px">Receipt from Example, ${sort * 7 + 3}.00 EUR paid${END}</td></tr><tr><td style="color:#8898aa;font-size:12px;line-height:16px;text-transform:uppercase"><span class="st-font" style="text-decoration:none">Date paid</span></td></tr><tr><td><a style="color:${accent}!important;text-decoration:none" href="https://a.example/r">View</a><sup style="font-size:10px;line-height:0;vertical-align:super"></sup></td></tr></table>${PIXEL}</body></html>`,

  github: ({ ink, sort }) =>
    `<p dir="auto" style="color:${ink}"><b>ann</b> left a comment (project#${sort})</p><blockquote style="margin:0 0 0 .8ex;border-left:1px #ccc solid;padding-left:1ex"><p dir="auto">Quoted <code class="notranslate">a &gt; b</code></p></blockquote><pre><code>npm test</code></pre><ul dir="auto"><li>one</li><li>two</li></ul>${END}<p style="font-size:small;-webkit-text-size-adjust:none;color:#666;">&mdash;<br />Reply to this email directly, <a href="https://a.example/">view it on GitHub</a>.<br />You are receiving this because you were mentioned.<img src="https://t.example/x.gif" height="1" width="1" alt="" /><span style="color: transparent; font-size: 0; display: none; visibility: hidden; overflow: hidden; opacity: 0; width: 0; height: 0; max-width: 0; max-height: 0; mso-hide: all">Message ID: <span>&lt;a/b@github.com&gt;</span></span></p><script type="application/ld+json">[{"@context":"http://schema.org"}]</script>`,

  outlook: ({
    ink,
    font,
  }) => `<html xmlns:o="urn:schemas-microsoft-com:office:office" xmlns:w="urn:schemas-microsoft-com:office:word"><head><!--[if !mso]><style>v\\:* {behavior:url(#default#VML);}</style><![endif]--><style><!--
/* Font Definitions */
@font-face {font-family:"Cambria Math"; panose-1:2 4 5 3 5 4 6 3 2 4;} @font-face {font-family:Calibri; panose-1:2 15 5 2 2 2 4 3 2 4;}
p.MsoNormal, li.MsoNormal, div.MsoNormal {margin:0cm; font-size:11.0pt; font-family:"Calibri",sans-serif; mso-ligatures:standardcontextual; mso-fareast-language:EN-US;} a:link, span.MsoHyperlink {mso-style-priority:99; color:#0563C1; text-decoration:underline;} span.E-MailFormatvorlage17 {mso-style-type:personal-compose; color:windowtext;} .MsoChpDefault {mso-style-type:export-only;} @page WordSection1 {size:612.0pt 792.0pt; margin:70.85pt 70.85pt 2.0cm 70.85pt;} div.WordSection1 {page:WordSection1;}
--></style></head><body lang="DE" link="#0563C1" vlink="#954F72" style="word-wrap:break-word"><div class="WordSection1"><p class="MsoNormal">Dear Ann,<o:p></o:p></p><p class="MsoNormal"><o:p>&nbsp;</o:p></p><p class="MsoNormal"><span style="color:${ink};font-family:${font.replaceAll('"', "'")};mso-fareast-language:DE">see the <a href="https://a.example/">file</a>.<o:p></o:p></span></p><div style="border:none;border-top:solid #E1E1E1 1.0pt;padding:3.0pt 0cm 0cm 0cm">${END}</div></div></body></html>`,

  postmark: ({ ink, paper, accent, width, sort }) =>
    `<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN"><html><head><style type="text/css" rel="stylesheet" media="all">@import url("https://fonts.googleapis.com/css?family=Nunito+Sans:400,700&display=swap"); body { width: 100% !important; height: 100%; margin: 0; -webkit-text-size-adjust: none; background-color: ${paper}; color: ${ink}; } a { color: #3869D4; } a img { border: none; } td { word-break: break-word; } .preheader { display: none !important; visibility: hidden; mso-hide: all; font-size: 1px; line-height: 1px; max-height: 0; max-width: 0; opacity: 0; overflow: hidden; } body, td, th { font-family: "Nunito Sans", Helvetica, Arial, sans-serif; } p, ul, ol, blockquote { margin: .4em 0 1.1875em; font-size: 16px; line-height: 1.625; } p.sub { font-size: 13px; } .button { background-color: ${accent}; border-top: 10px solid ${accent}; display: inline-block; color: #FFF !important; text-decoration: none; border-radius: 3px; box-shadow: 0 2px 3px rgba(0, 0, 0, 0.16); -webkit-text-size-adjust: none; box-sizing: border-box; } @media only screen and (max-width: 500px) { .button { width: 100% !important; text-align: center !important; } } .email-body_inner { width: ${width}px; margin: 0 auto; padding: 0; background-color: #FFFFFF; } .purchase_item { padding: 10px 0; color: #51545E; font-size: 15px; line-height: 18px; } .email-masthead_name { font-weight: bold; color: #A8AAAF; text-shadow: 0 1px 0 white; } @media (prefers-color-scheme: dark) { body, .email-body, .email-body_inner { background-color: #333333 !important; color: #FFF !important; } .email-masthead_name { text-shadow: none !important; } }</style><!--[if mso]><style type="text/css">.f-fallback { font-family: Arial, sans-serif; }</style><![endif]--></head><body><span class="preheader">An invoice for June.</span><table class="email-wrapper" width="100%"><tr><td class="email-masthead"><a href="https://a.example/" class="f-fallback email-masthead_name">Example</a></td></tr><tr><td class="email-body"><table class="email-body_inner" width="${width}"><tr><td><div class="f-fallback"><h1>Hi Ann,</h1><p>Invoice ${sort}.</p><a href="https://a.example/pay" class="f-fallback button">Pay now</a>${END}<table class="purchase"><tr><td width="80%" class="purchase_item"><span>Paper</span></td><td class="align-right" width="20%">12.00</td></tr></table><p class="f-fallback sub">Support is here.</p></div></td></tr></table></td></tr></table></body></html>`,

  campaign: ({ ink, accent, width, sort }) =>
    `<html><head><style>body{margin:0;padding:0}.wrapper{background-color:#fff}@media only screen and (min-width:620px){.wrapper{min-width:${width}px !important}.wrapper h1{font-size:36px !important;line-height:43px !important}.column{}}.layout{max-width:${width}px;min-width:320px;width:320px;width:calc(28000% - 167400px);overflow-wrap:break-word;word-wrap:break-word;word-break:break-word}.btn a:hover{opacity:0.8 !important} .mobile{display:none} @media (max-width:480px){.mobile{display:block !important}.desktop{display:none !important}}</style></head><body><div class="wrapper"><div class="layout" style="Margin:0 auto;max-width:${width}px;min-width:320px;"><p class="desktop">See it on the web</p><p class="mobile">See it here</p><div style="mso-line-height-rule:exactly;mso-text-raise:11px;vertical-align:middle;color:${ink};font-size:14px;line-height:21px">News of the shop${END}</div><div class="btn"><!--[if mso]><v:roundrect fillcolor="${accent}"><![endif]--><a style="border-radius:4px;display:inline-block;font-size:14px;font-weight:bold;line-height:24px;padding:12px 24px;text-align:center;color:#ffffff !important;background-color:${accent};${sort === 7 ? 'mso-hide:all;' : ''}" href="https://a.example/">Buy</a></div><div style="font-size:20px;line-height:20px;mso-line-height-rule:exactly">&nbsp;</div></div></div></body></html>`,

  shop: ({ ink, paper, accent, width, sort }) =>
    `<!DOCTYPE html><html><head><style>@font-face{font-family:"Shop";font-style:normal;font-weight:400;src:local("Shop"),url(https://cdn.a.example/shop.woff2) format("woff2")} .card{border-radius:8px;overflow:hidden;box-shadow:0 1px 4px rgba(0,0,0,.2)} *{box-sizing:border-box} .row>td{padding:8px} td[class="price"]{text-align:right} u + .body .gmail{min-width:100vw} @media screen and (max-width:600px){.stack,.stack>td{display:block!important;width:100%!important}.no-phone{display:none!important;max-height:0!important;overflow:hidden!important;font-size:0!important}} @supports (display:grid){.row{border-spacing:0}} .strike{text-decoration:line-through;color:#999}</style></head><body class="body" style="margin:0;background:${paper}"><div style="display:none">Your order is on its way ${FILLER}</div><table class="card" align="center" style="max-width:${width}px;width:100%;background:#fff"><tr><td style="background:${accent};background-image:none;color:#fff;padding:24px"><h2 style="margin:0">Order ${1000 + sort}</h2></td></tr><tr class="row stack"><td style="color:${ink}">Cup, <span class="strike">9.90</span> <b>7.90</b></td><td class="price no-phone">2 pieces</td></tr><tr><td style="border-top:1px solid #eee;color:${ink}"><ol><li>Packed</li><li>Sent</li></ol>${END}<small style="color:#888;font-size:11px">Prices with VAT</small><a href="#" style="color:${accent};letter-spacing:.05em;text-transform:uppercase">Track</a></td></tr></table>${PIXEL}</body></html>`,

  bank: ({ ink, font, accent, sort }) =>
    `<html><body bgcolor="#FFFFFF" text="#000000"><table width="100%" border="0" cellspacing="0" cellpadding="0"><tr><td><img src="https://a.example/logo.png" width="120" alt="Bank"></td></tr><tr><td bgcolor="${sort % 2 === 0 ? '#003366' : 'navy'}"><font face="Arial" size="4" color="#FFFFFF"><b>Statement</b></font></td></tr><tr><td style='font:normal 14px/20px ${font.replaceAll("'", '"')};color:${ink};padding:1em 2%'>Dear Sir or Madam,<br><br>the statement <i>No. ${sort}</i> is there.<hr size="1" noshade>${END}<table border="1" style="border-collapse:collapse"><thead><tr><th align="left">Item</th><th>EUR</th></tr></thead><tbody><tr><td>Fee</td><td align="right"><tt>${sort}.50</tt></td></tr></tbody></table><p style="color:${accent};margin-left:20px;text-indent:-10px">* net</p><address>1 Street</address></td></tr></table></body></html>`,
};

/** A picture behind text, in one of ten newsletters of that framework. */
function hero(sort: number, accent: string): string {
  if (sort % 10 !== 3) return '';
  return `<div style="background:${accent} url('https://a.example/hero.jpg') center top / cover no-repeat;background-position:center top;padding:80px 0"><h1 style="color:#ffffff;font-size:32px">Summer</h1></div>`;
}

function at<T>(list: readonly T[], index: number): T {
  const found = list[index % list.length];
  if (found === undefined) throw new Error('the list is empty');
  return found;
}

/** HTML of each, with a name that says how it was made. */
export function ordinaryMails(): readonly { readonly name: string; readonly source: string }[] {
  return Object.entries(FRAMEWORKS).flatMap(([framework, write]) =>
    Array.from({ length: 20 }, (_, sort) => ({
      name: `${framework} ${sort}`,
      source: write({
        ink: at(INKS, sort),
        paper: at(PAPERS, sort),
        accent: at(ACCENTS, sort),
        font: at(FONTS, sort).replaceAll('"', "'"),
        width: 560 + (sort % 4) * 20,
        sort,
      }),
    })),
  );
}
