// The names of elements and attributes that the HTML standard treats in special ways.
(function (n8n) {
  'use strict';

  const words = (text) => new Set(text.split(' '));
  const HEAD = words('base basefont bgsound link meta noframes script style template title');
  const VOID = words('area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr');
  const BLOCKS = words('address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer header ' +
    'hgroup main menu nav ol p section summary ul');
  const CLOSABLE = new Set([...BLOCKS, 'listing', 'pre']);
  CLOSABLE.delete('p');
  const HEADINGS = words('h1 h2 h3 h4 h5 h6');
  const FORMATTING = words('a b big code em font i nobr s small strike strong tt u');
  const IMPLIED_END = words('dd dt li optgroup option p rb rp rt rtc');
  const SPECIAL = words('address applet area article aside base basefont bgsound blockquote body br button caption center col colgroup ' +
    'dd details dir div dl dt embed fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html ' +
    'iframe img input li link listing main marquee menu meta nav noembed noframes noscript object ol p param plaintext pre script ' +
    'section select source style summary table tbody td template textarea tfoot th thead title tr track ul wbr xmp');
  // The kinds of scopes that an element limits: the search for an open element ends at it.
  const SCOPE = 1;
  const LIST_SCOPE = 2;
  const BUTTON_SCOPE = 4;
  const TABLE_SCOPE = 8;
  const LIMITS = { __proto__: null, html: 15, table: 15, template: 15, button: BUTTON_SCOPE, ol: LIST_SCOPE, ul: LIST_SCOPE };
  for (const name of words('applet caption td th marquee object')) LIMITS[name] = SCOPE | LIST_SCOPE | BUTTON_SCOPE;
  const TABLE_PARTS = words('caption col colgroup tbody td tfoot th thead tr');
  const FOSTERING = words('table tbody tfoot thead tr');
  const SECTIONS = words('tbody tfoot thead');
  // These tags end SVG and MathML.
  const BREAKOUT = words('b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing ' +
    'menu meta nobr ol p pre ruby s small span strong strike sub sup table tt u ul var');
  // In these elements of SVG and MathML the rules are those of HTML again.
  const INTEGRATION = { svg: words('foreignObject desc title'), math: words('mi mo mn ms mtext annotation-xml') };
  const isIntegration = (node) => INTEGRATION[node.isForeign].has(node.name);
  // The names of SVG with capital letters.
  const CAMEL = 'altGlyph altGlyphDef altGlyphItem animateColor animateMotion animateTransform clipPath feBlend feColorMatrix ' +
    'feComponentTransfer feComposite feConvolveMatrix feDiffuseLighting feDisplacementMap feDistantLight feFlood feFuncA feFuncB feFuncG ' +
    'feFuncR feGaussianBlur feImage feMerge feMergeNode feMorphology feOffset fePointLight feSpecularLighting feSpotLight feTile ' +
    'feTurbulence foreignObject glyphRef linearGradient radialGradient textPath';
  const CAMEL_ATTRIBUTES = 'attributeName attributeType baseFrequency baseProfile calcMode clipPathUnits diffuseConstant edgeMode ' +
    'filterUnits glyphRef gradientTransform gradientUnits kernelMatrix kernelUnitLength keyPoints keySplines keyTimes lengthAdjust ' +
    'limitingConeAngle markerHeight markerUnits markerWidth maskContentUnits maskUnits numOctaves pathLength patternContentUnits ' +
    'patternTransform patternUnits pointsAtX pointsAtY pointsAtZ preserveAlpha preserveAspectRatio primitiveUnits refX refY repeatCount ' +
    'repeatDur requiredExtensions requiredFeatures specularConstant specularExponent spreadMethod startOffset stdDeviation stitchTiles ' +
    'surfaceScale systemLanguage tableValues targetX targetY textLength viewBox viewTarget xChannelSelector yChannelSelector zoomAndPan';
  const lower = (text) => ({ __proto__: null, ...Object.fromEntries(text.split(' ').map((name) => [name.toLowerCase(), name])) });
  let camel;
  const adjust = (kind, name, attributes) => {
    if (kind !== 'svg') return [name, attributes];
    camel ??= { names: lower(CAMEL), attributes: lower(CAMEL_ATTRIBUTES) };
    const renamed = Object.fromEntries(Object.entries(attributes).map(([key, value]) => [camel.attributes[key] ?? key, value]));
    return [camel.names[name] ?? name, renamed];
  };

  const isTablePart = (name) => name === 'table' || (TABLE_PARTS.has(name) && !name.startsWith('col'));

  /** Separates the formatting elements of a cell from those around the table. */
  n8n.htmlMarker = Symbol('marker');

  n8n.htmlNames = {
    HEAD, VOID, BLOCKS, CLOSABLE, HEADINGS, FORMATTING, IMPLIED_END, SPECIAL, SCOPE, LIST_SCOPE, BUTTON_SCOPE, TABLE_SCOPE, LIMITS,
    TABLE_PARTS, FOSTERING, SECTIONS, BREAKOUT, INTEGRATION, isIntegration, adjust, isTablePart, words,
  };
})
